import { readsBalance, readsCreated, readsMoved, readsSet } from './answers.ts';
import { writeCredits } from './credits.ts';
import type { ProviderCall, Dialect, Fields } from './dialect.ts';
import type { Movement } from './port.ts';

/** Calls a provider by the name of one of its calls. */
export type AskWord = <T>(word: string, fields: Fields, read: ProviderCall<T>['read']) => ProviderCall<T>;

/**
 * The calls of a provider with the most common protocol: one name per call, the usual names of fields and answers, and
 * no reference of ours. A dialect overrides what is specific to it.
 */
export const plainCalls = (ask: AskWord): Pick<Dialect, 'create' | 'setPassword' | 'balance' | 'move'> => ({
  create: (player) => ask('create', player, readsCreated(player)),
  setPassword: (player) => ask('password', player, readsSet(player)),
  balance: (username) => ask('balance', { username }, readsBalance(username)),
  move: (movement) => ask(wayOf(movement), orderOf(movement), readsMoved(movement)),
});

/** The usual names of the two directions. */
export const wayOf = ({ direction }: Pick<Movement, 'direction'>): 'deposit' | 'withdraw' =>
  direction === 'in' ? 'deposit' : 'withdraw';

/** Player and amount. */
export const orderOf = ({ username, amount }: Movement): { username: string; amount: string } => ({
  username,
  amount: writeCredits(amount),
});
