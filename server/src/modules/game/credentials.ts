import { Refusal } from '../../platform/errors.ts';
import {
  claimReset,
  dropNextPassword,
  insertReveal,
  saveNextPassword,
  saveSettledPassword,
} from './credential-queries.ts';
import {
  type GameAccount,
  type GameCredentials,
  newPassword,
  sealContext,
  type CredentialViewer,
  type GameDeps,
} from './game.ts';
import { findGameAccount } from './list-games.ts';
import { markLaunched } from './queries.ts';

/**
 * `certain`: the password is valid. `silent`, `refused`: repeating the pending reset got no reply or was refused, so
 * the new password may be valid instead.
 */
type ResolvedPassword = { password: string; state: 'certain' | 'silent' | 'refused' };

/**
 * The password that is valid at the provider. After a reset without a reply it may be the old or the new one. The reset
 * is repeated; if its outcome is still unknown, the old password is returned.
 */
export async function resolvePassword(deps: GameDeps, account: GameAccount): Promise<ResolvedPassword> {
  const context = sealContext(account);
  const oldPassword = deps.secretBox.open(account.password, context);
  if (!account.passwordNext) return { password: oldPassword, state: 'certain' };
  const nextPassword = deps.secretBox.open(account.passwordNext, context);
  const provider = deps.providers.get(account.provider);
  const passwordOutcome = await provider?.setPassword({ username: account.username, password: nextPassword });
  if (passwordOutcome?.outcome !== 'done')
    return { password: oldPassword, state: passwordOutcome?.outcome === 'refused' ? 'refused' : 'silent' };
  await saveSettledPassword(deps.database, account, account.passwordNext);
  return { password: nextPassword, state: 'certain' };
}

/** Username and password of an account, and the login form if the game opens by one. */
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

/** Returns username and password, and logs the access. @throws {Refusal} NO_GAME, SLOT_NO_ACCOUNT */
export async function revealGameAccount(
  deps: GameDeps,
  memberId: string,
  code: string,
  viewer: CredentialViewer,
): Promise<GameCredentials> {
  const { account } = await findGameAccount(deps.database, memberId, code);
  const { password } = await resolvePassword(deps, account);
  await insertReveal(deps.database, account, 'account', viewer);
  // Without a launch link, the login is what opens the game.
  if (deps.providers.get(account.provider)?.launch.kind !== 'link') await markLaunched(deps.database, account);
  return readCredentials(deps, account, password, viewer);
}

/**
 * Sets a new password of a game account, at most once per minute. If the provider refuses, the old password stays.
 * Without a reply both passwords are stored, and the next use of the password repeats the reset. If the provider
 * refuses the repetition, a new password replaces the unconfirmed one.
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
  const resolvedPassword = await resolvePassword(deps, account);
  if (resolvedPassword.state === 'silent') throw new Refusal('SLOT_RESET_PASSWORD_FAIL', { detail: 'OUTCOME_UNKNOWN' });
  const password = newPassword();
  const sealedPassword = secretBox.seal(password, sealContext(account));
  const replacedPassword = resolvedPassword.state === 'refused' ? account.passwordNext : null;
  if (!(await claimReset(database, account, sealedPassword, replacedPassword))) throw new Refusal('REQUEST_LIMIT_1MIN');
  const { username } = account;
  let passwordOutcome = await provider.setPassword({ username, password });
  if (passwordOutcome.outcome === 'refused') {
    await dropNextPassword(database, account, sealedPassword, replacedPassword);
    throw new Refusal('SLOT_RESET_PASSWORD_FAIL');
  }
  // Setting the same password is idempotent. The second call usually gets the reply that the first one lost.
  if (passwordOutcome.outcome === 'unknown') passwordOutcome = await provider.setPassword({ username, password });
  if (passwordOutcome.outcome !== 'done') throw new Refusal('SLOT_RESET_PASSWORD_FAIL', { detail: 'OUTCOME_UNKNOWN' });
  await database.tx(async (tx) => {
    await saveNextPassword(tx, account, sealedPassword);
    await insertReveal(tx, account, 'reset', viewer);
  });
  return readCredentials(deps, account, password, viewer);
}
