import { type GameAccount, sealContext } from './game.ts';
import type { GameAccess } from './game-access.ts';
import { keepSettledPassword } from './password-queries.ts';

/** `open`: it may also be the new one, because the provider said nothing, or refuses to take that one again. */
type Settled = { password: string; state: 'certain' | 'silent' | 'refused' };

/**
 * The password that holds at the provider. After a reset without an answer it may be either of two: then the new one is
 * set once more, which leaves it set whatever happened before. Where that is not certain either the old one is the better
 * guess.
 */
export async function settlePassword(access: GameAccess, account: GameAccount): Promise<Settled> {
  const context = sealContext(account);
  const old = access.secretBox.open(account.password, context);
  if (!account.passwordNext) return { password: old, state: 'certain' };
  const next = access.secretBox.open(account.passwordNext, context);
  const provider = access.providers.get(account.provider);
  const set = await provider?.setPassword({ username: account.username, password: next });
  if (set?.outcome !== 'done') return { password: old, state: set?.outcome === 'refused' ? 'refused' : 'silent' };
  await keepSettledPassword(access.database, account, account.passwordNext);
  return { password: next, state: 'certain' };
}
