import { defineGateway } from '../definition.ts';
import { wwSettings } from './settings.ts';
import { ww as open } from './ww.ts';

export const ww = defineGateway(wwSettings, open);
