import {
  type GameAccount,
  type GameCredentials,
  newPassword,
  sealContext,
  type CredentialViewer,
  type GameDeps,
} from './game.ts';
import { claimReset, dropNextPassword, saveNextPassword, saveSettledPassword } from './credential-queries.ts';
import { findGameAccount } from './list-games.ts';
import { insertReveal } from './queries.ts';
import { Refusal } from '../../platform/errors.ts';

/** `open`: it may also be the new one, because the provider said nothing, or refuses to take that one again. */
type Settled = { password: string; state: 'certain' | 'silent' | 'refused' };

/**
 * The password that holds at the provider. After a reset without an answer it may be either of two: then the new one is
 * set once more, which leaves it set whatever happened before. Where that is not certain either the old one is the better
 * guess.
 */
export async function resolvePassword(access: GameDeps, account: GameAccount): Promise<Settled> {
  const context = sealContext(account);
  const old = access.secretBox.open(account.password, context);
  if (!account.passwordNext) return { password: old, state: 'certain' };
  const next = access.secretBox.open(account.passwordNext, context);
  const provider = access.providers.get(account.provider);
  const set = await provider?.setPassword({ username: account.username, password: next });
  if (set?.outcome !== 'done') return { password: old, state: set?.outcome === 'refused' ? 'refused' : 'silent' };
  await saveSettledPassword(access.database, account, account.passwordNext);
  return { password: next, state: 'certain' };
}

/** Username and password of an account, and what a browser posts where the game opens by a form. */
export function readCredentials(
  { providers, publicUrl }: Pick<GameDeps, 'providers' | 'publicUrl'>,
  { username, provider }: Pick<GameAccount, 'username' | 'provider'>,
  password: string,
  { language, rewriteAddress }: Pick<CredentialViewer, 'language' | 'rewriteAddress'>,
): GameCredentials {
  const launch = providers.get(provider)?.launch;
  const login = { username, password };
  if (launch?.kind !== 'form') return login;
  const { action, fields } = launch.form(login, { returnUrl: rewriteAddress(publicUrl), language });
  return { ...login, form: { action: rewriteAddress(action), fields } };
}

/** Shows username and password, and writes down that it did. Throws NO_GAME, SLOT_NO_ACCOUNT. */
export async function revealGameAccount(
  access: GameDeps,
  memberId: string,
  code: string,
  viewer: CredentialViewer,
): Promise<GameCredentials> {
  const { account } = await findGameAccount(access.database, memberId, code);
  const { password } = await resolvePassword(access, account);
  await insertReveal(access.database, account, 'account', viewer);
  return readCredentials(access, account, password, viewer);
}

/**
 * Gives a game account a new password, once a minute. Refused by the provider: the old one stays. Without an answer both
 * are kept, and the new one is set again the next time that the password is needed. One that the provider refuses to take
 * again, because it holds already or never will do, gives way to another.
 * @throws NO_GAME, SLOT_NO_ACCOUNT, REQUEST_LIMIT_1MIN, SLOT_RESET_PASSWORD_FAIL
 */
export async function resetGamePassword(
  access: GameDeps,
  memberId: string,
  code: string,
  viewer: CredentialViewer,
): Promise<GameCredentials> {
  const { database, secretBox } = access;
  const { account } = await findGameAccount(database, memberId, code);
  const provider = access.providers.get(account.provider);
  if (!provider) throw new Refusal('SLOT_RESET_PASSWORD_FAIL', { detail: 'PROVIDER_NOT_CONFIGURED' });
  const before = await resolvePassword(access, account);
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
    await saveNextPassword(tx, account, sealed);
    await insertReveal(tx, account, 'reset', viewer);
  });
  return readCredentials(access, account, password, viewer);
}
