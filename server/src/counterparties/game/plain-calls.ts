import { readsBalance, readsCreated, readsMoved, readsSet } from './answers.ts';
import { writeCredits } from './credits.ts';
import type { Call, Dialect, Fields } from './dialect.ts';
import type { Movement } from './port.ts';

/** Asks a provider under one of its words. */
export type AskWord = <T>(word: string, fields: Fields, read: Call<T>['read']) => Call<T>;

/**
 * The calls of a provider that says everything in the plainest way: a word for each, fields and answers under the names
 * that most have for them, and no reference of ours. What is peculiar to one is written over them.
 */
export const plainCalls = (ask: AskWord): Pick<Dialect, 'create' | 'setPassword' | 'balance' | 'move'> => ({
  create: (player) => ask('create', player, readsCreated(player)),
  setPassword: (player) => ask('password', player, readsSet(player)),
  balance: (username) => ask('balance', { username }, readsBalance(username)),
  move: (movement) => ask(wayOf(movement), orderOf(movement), readsMoved(movement)),
});

/** What most call the two ways of money. */
export const wayOf = ({ direction }: Pick<Movement, 'direction'>): 'deposit' | 'withdraw' =>
  direction === 'in' ? 'deposit' : 'withdraw';

/** Whose money, and how much. */
export const orderOf = ({ username, amount }: Movement): { username: string; amount: string } => ({
  username,
  amount: writeCredits(amount),
});
