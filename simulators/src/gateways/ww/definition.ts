import { defineGateway } from '../definition.ts';
import { ww as open } from './ww.ts';
import { wwSettings } from './settings.ts';

export const ww = defineGateway(wwSettings, open);
