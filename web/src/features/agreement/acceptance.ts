import { STORAGE } from '@krapao/contract/constants';
import { readStored, writeStored } from '../../storage.ts';

/** How many versions are remembered: one for each language and one for luck. */
const KEPT = 4;

/**
 * The version of agreements: a fingerprint of their texts, so that changed ones are asked for again. (FNV-1a, 64 bits;
 * nobody gains by forging what only their own browser remembers.)
 */
export function versionOf(texts: readonly string[]): string {
  let hash = 0xcbf29ce484222325n;
  for (const byte of new TextEncoder().encode(JSON.stringify(texts))) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  }
  return hash.toString(36);
}

const accepted = (): string[] => (readStored(STORAGE.rememberAgreement) ?? '').split(' ').filter(Boolean);

/** Whether these very texts have been accepted on this device. */
export const isAccepted = (texts: readonly string[]): boolean => accepted().includes(versionOf(texts));

/** Remembers that they have. */
export function rememberAcceptance(texts: readonly string[]): void {
  const version = versionOf(texts);
  const others = accepted().filter((known) => known !== version);
  writeStored(STORAGE.rememberAgreement, [version, ...others].slice(0, KEPT).join(' '));
}
