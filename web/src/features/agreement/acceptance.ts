import { STORAGE } from '@krapao/contract/constants';
import { readStored, writeStored } from '../../storage.ts';

/** Whether this version of the agreements has been accepted on this device, in whatever language. */
export const isAccepted = (version: string): boolean => readStored(STORAGE.rememberAgreement) === version;

/** Remembers that it has. */
export const rememberAcceptance = (version: string): void => writeStored(STORAGE.rememberAgreement, version);
