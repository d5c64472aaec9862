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

/**
 * `silent`, `refused`: the new password may be valid instead, because repeating its reset got no reply or was refused.
 */
type ResolvedPassword = { password: string; state: 'certain' | 'silent' | 'refused' };

/**
 * The password that is valid at the provider. After a reset without a reply it may be the old or the new one: the reset
 * is repeated, and if its outcome is unknown again the old one is returned.
 */
export async function resolvePassword(deps: GameDeps, account: GameAccount): Promise<ResolvedPassword> {
  const context = sealContext(account);
  const old = deps.secretBox.open(account.password, context);
  if (!account.passwordNext) return { password: old, state: 'certain' };
  const next = deps.secretBox.open(account.passwordNext, context);
  const provider = deps.providers.get(account.provider);
  const set = await provider?.setPassword({ username: account.username, password: next });
  if (set?.outcome !== 'done') return { password: old, state: set?.outcome === 'refused' ? 'refused' : 'silent' };
  await saveSettledPassword(deps.database, account, account.passwordNext);
  return { password: next, state: 'certain' };
}

/** Username and password of an account, and the login form of games that open by one. */
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

/** Returns username and password, and logs the deps. @throws {Refusal} NO_GAME, SLOT_NO_ACCOUNT */
export async function revealGameAccount(
  deps: GameDeps,
  memberId: string,
  code: string,
  viewer: CredentialViewer,
): Promise<GameCredentials> {
  const { account } = await findGameAccount(deps.database, memberId, code);
  const { password } = await resolvePassword(deps, account);
  await insertReveal(deps.database, account, 'account', viewer);
  return readCredentials(deps, account, password, viewer);
}

/**
 * Sets a new password of a game account, once per minute. If the provider refuses, the old one stays. Without a reply
 * both are kept, and the reset is repeated when the password is next needed. If the provider refuses the repetition,
 * another password replaces the new one.
 * @throws {Refusal} NO_GAME, SLOT_NO_ACCOUNT, REQUEST_LIMIT_1MIN, SLOT_RESET_PASSWORD_FAIL
 */
export async function resetGamePassword(
  deps: GameDeps,
  memberId: string,
  code: string,
  viewer: CredentialViewer,
): Promise<GameCredentials> {
  const { database, secretBox } = deps;
  const { account } = await findGameAccount(database, memberId, code);
  const provider = deps.providers.get(account.provider);
  if (!provider) throw new Refusal('SLOT_RESET_PASSWORD_FAIL', { detail: 'PROVIDER_NOT_CONFIGURED' });
  const before = await resolvePassword(deps, account);
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
  // Setting the same password again is idempotent and usually gets the reply that was lost.
  if (set.outcome === 'unknown') set = await provider.setPassword({ username, password });
  if (set.outcome !== 'done') throw new Refusal('SLOT_RESET_PASSWORD_FAIL', { detail: 'OUTCOME_UNKNOWN' });
  await database.tx(async (tx) => {
    await saveNextPassword(tx, account, sealed);
    await insertReveal(tx, account, 'reset', viewer);
  });
  return readCredentials(deps, account, password, viewer);
}
