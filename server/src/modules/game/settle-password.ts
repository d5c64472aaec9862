import { type GameAccount, sealContext } from './game.ts';
import { type GameAccess, providerNamed } from './game-access.ts';
import { keepSettledPassword } from './queries.ts';

/**
 * The password that holds at the provider. After a reset without an answer it may be either of two: then the new one is
 * set once more, which leaves it set whatever happened before. `isCertain` is false when that got no answer either;
 * then the old one is the better guess.
 */
export async function settlePassword(
  access: GameAccess,
  account: GameAccount,
): Promise<{ password: string; isCertain: boolean }> {
  const context = sealContext(account);
  const old = access.secretBox.open(account.password, context);
  if (!account.passwordNext) return { password: old, isCertain: true };
  const next = access.secretBox.open(account.passwordNext, context);
  const set = await providerNamed(access, account.provider).setPassword({ username: account.username, password: next });
  if (set.outcome !== 'done') return { password: old, isCertain: false };
  await keepSettledPassword(access.database, account, account.passwordNext);
  return { password: next, isCertain: true };
}
