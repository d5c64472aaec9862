import { defineGateway } from '../definition.ts';
import { payonex as open } from './payonex.ts';
import { payonexSettings } from './settings.ts';
import { PAYONEX_TABLES } from './tables.ts';

export const payonex = defineGateway(payonexSettings, open, PAYONEX_TABLES);
