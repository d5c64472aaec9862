import { defineGateway } from '../definition.ts';
import { fp as open } from './fp.ts';
import { fpSettings } from './settings.ts';

export const fp = defineGateway(fpSettings, open);
