import { defineGateway } from '../definition.ts';
import { kbank as open } from './kbank.ts';
import { kbankSettings } from './settings.ts';
import { KBANK_TABLES } from './tables.ts';

export const kbank = defineGateway(kbankSettings, open, KBANK_TABLES);
