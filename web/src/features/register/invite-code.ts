import { STORAGE } from '@krapao/contract/constants';
import { readStored, writeStored } from '../../storage.ts';

const CODE_CHARACTERS_MAX = 64;

/** Keeps the inviter's code of the address (`?code=`), also for a visit that comes back later without it. */
export function keepInviteCode(search: string): void {
  const given = new URLSearchParams(search).get('code')?.trim().slice(0, CODE_CHARACTERS_MAX);
  if (given) writeStored(STORAGE.inviteCode, given);
}

/** The code that was kept last, '' without one. */
export const keptInviteCode = (): string => readStored(STORAGE.inviteCode) ?? '';

/** A registration used it: the next person on this device has not been invited. */
export const forgetInviteCode = (): void => writeStored(STORAGE.inviteCode, null);
