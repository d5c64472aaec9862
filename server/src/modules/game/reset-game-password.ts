import { Refusal } from '../../platform/refusal.ts';
import { findGameAccount } from './find-game-account.ts';
import { type GameCredentials, newPassword, sealContext, type Viewer } from './game.ts';
import type { GameAccess } from './game-access.ts';
import { claimReset, dropNextPassword, keepNextPassword } from './password-queries.ts';
import { insertReveal } from './queries.ts';
import { credentialsOf } from './credentials-of.ts';
import { settlePassword } from './settle-password.ts';

/**
 * Gives a game account a new password, once a minute. Refused by the provider: the old one stays. Without an answer both
 * are kept, and the new one is set again the next time that the password is needed. One that the provider refuses to take
 * again, because it holds already or never will do, gives way to another.
 * @throws NO_GAME, SLOT_NO_ACCOUNT, REQUEST_LIMIT_1MIN, SLOT_RESET_PASSWORD_FAIL
 */
export async function resetGamePassword(
  access: GameAccess,
  memberId: string,
  code: string,
  viewer: Viewer,
): Promise<GameCredentials> {
  const { database, secretBox } = access;
  const { account } = await findGameAccount(database, memberId, code);
  const provider = access.providers.get(account.provider);
  if (!provider) throw new Refusal('SLOT_RESET_PASSWORD_FAIL', { detail: 'PROVIDER_NOT_CONFIGURED' });
  const before = await settlePassword(access, account);
  if (before.state === 'silent') throw new Refusal('SLOT_RESET_PASSWORD_FAIL', { detail: 'OUTCOME_UNKNOWN' });
  const password = newPassword();
  const sealed = secretBox.seal(password, sealContext(account));
  const replaced = before.state === 'refused' ? account.passwordNext : null;
  if (!(await claimReset(database, account, sealed, replaced))) throw new Refusal('REQUEST_LIMIT_1MIN');
  const { username } = account;
  let set = await provider.setPassword({ username, password });
  if (set.outcome === 'refused') {
    await dropNextPassword(database, account, sealed, replaced);
    throw new Refusal('SLOT_RESET_PASSWORD_FAIL');
  }
  // The same password again leaves it set, and mostly brings the answer that was lost.
  if (set.outcome === 'unknown') set = await provider.setPassword({ username, password });
  if (set.outcome !== 'done') throw new Refusal('SLOT_RESET_PASSWORD_FAIL', { detail: 'OUTCOME_UNKNOWN' });
  await database.tx(async (tx) => {
    await keepNextPassword(tx, account, sealed);
    await insertReveal(tx, account, 'reset', viewer);
  });
  return credentialsOf(access, account, password, viewer);
}
