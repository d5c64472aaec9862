import { z } from 'zod';
import {
  balanceChange,
  readChange,
  readCredits,
  type Created,
  type Credits,
  type Moved,
  type Movement,
  type Player,
  type ProviderBalance,
} from './port.ts';
import type { ProviderCall } from './dialect.ts';

/** Parses by a schema, and checks the subject of the answer. */
export const parseReply =
  <S extends z.ZodType, T>(schema: S, take: (value: z.output<S>) => T | undefined) =>
  (data: unknown): T | undefined => {
    const read = schema.safeParse(data);
    return read.success ? take(read.data) : undefined;
  };

/** For calls whose answer carries no data. */
export const parseEmptyReply = (): true => true;

const amountField = (read: (value: unknown) => Credits | undefined) =>
  z.unknown().transform((value, context): Credits => {
    const amount = read(value);
    if (amount !== undefined) return amount;
    context.addIssue({ code: 'custom', message: 'not an amount' });
    return z.NEVER;
  });

/** An amount of an answer. */
export const creditsField = amountField(readCredits);

/** An amount of an answer that may be negative: a movement out. */
export const changeField = amountField(readChange);

const CREDENTIAL = /^[A-Za-z0-9]{1,16}$/;

/** A username that we can store. */
export const usernameField = z.string().regex(CREDENTIAL);

/** A password that we can store. */
export const passwordField = z.string().regex(CREDENTIAL);

/** A token of a link that signs in. */
export const tokenField = z.string().regex(/^[\w-]{1,500}$/);

/** A link that a browser may open. */
const linkField = z.url({ protocol: /^https?$/ });

/** Whether an answer is about the requested player. Names are case-insensitive at all providers. */
export const isAbout = (username: string, reported: { username: string }): boolean =>
  reported.username.toLowerCase() === username.toLowerCase();

// Answers of most providers, with the usual field names.
const named = z.object({ username: usernameField });
const balance = named.extend({ balance: creditsField, outstanding: creditsField, turnover: creditsField });
const moved = named.extend({ amount: creditsField, before: creditsField, after: creditsField });
const link = z.object({ url: linkField });

/** `{username}`: the opened player, if it is the requested one. */
export const readsCreated = ({ username }: Pick<Player, 'username'>): ProviderCall<Created>['read'] =>
  parseReply(named, (reported) => (isAbout(username, reported) ? { username: reported.username } : undefined));

/** `{username}`: the player whose password was set, if it is the requested one. */
export const readsSet = ({ username }: Pick<Player, 'username'>): ProviderCall<true>['read'] =>
  parseReply(named, (reported) => isAbout(username, reported) || undefined);

/** `{username, balance, outstanding, turnover}` of the requested player. */
export const readsBalance = (username: string): ProviderCall<ProviderBalance>['read'] =>
  parseReply(balance, ({ balance: cash, outstanding, turnover, ...reported }) =>
    isAbout(username, reported) ? { cash, outstanding, turnover } : undefined,
  );

/** `{username, amount, before, after}`: the movement, if it is the requested one. */
export const readsMoved = (movement: Movement): ProviderCall<Moved>['read'] =>
  parseReply(moved, (reported) => parseMovement(movement, reported));

/** `{url}`: address that signs the browser in. */
export const readsLink: ProviderCall<{ link: string }>['read'] = parseReply(link, ({ url }) => ({ link: url }));

/** The provider's movement, if it is the requested one. */
export const parseMovement = (movement: Movement, reported: z.output<typeof moved>): Moved | undefined =>
  isAbout(movement.username, reported) && reported.amount === movement.amount && changedByExactly(movement, reported)
    ? { balance: reported.after }
    : undefined;

/** Whether the balance changed by exactly this movement. */
export const changedByExactly = (movement: Movement, { before, after }: { before: Credits; after: Credits }): boolean =>
  after - before === balanceChange(movement);
