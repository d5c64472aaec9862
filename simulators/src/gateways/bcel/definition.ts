import { defineGateway } from '../definition.ts';
import { bcel as open } from './bcel.ts';
import { bcelSettings } from './settings.ts';

export const bcel = defineGateway(bcelSettings, open);
