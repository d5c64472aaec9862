import { z } from 'zod';
import type { ProviderCall } from './dialect.ts';
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

/** Creates a parser of a reply: a schema, then `interpret`, which checks the subject of the reply. */
export const parseReply =
  <S extends z.ZodType, T>(schema: S, interpret: (value: z.output<S>) => T | undefined) =>
  (data: unknown): T | undefined => {
    const result = schema.safeParse(data);
    return result.success ? interpret(result.data) : undefined;
  };

/** Parser for calls whose reply has no data. */
export const parseEmptyReply = (): true => true;

const amountField = (read: (value: unknown) => Credits | undefined) =>
  z.unknown().transform((value, context): Credits => {
    const amount = read(value);
    if (amount !== undefined) return amount;
    context.addIssue({ code: 'custom', message: 'not an amount' });
    return z.NEVER;
  });

/** An amount of a reply. */
export const creditsField = amountField(readCredits);

/** A signed amount of a reply: negative for a movement out. */
export const changeField = amountField(readChange);

const CREDENTIAL_FORMAT = /^[A-Za-z0-9]{1,16}$/;

/** A storable username. */
export const usernameField = z.string().regex(CREDENTIAL_FORMAT);

/** A storable password. */
export const passwordField = z.string().regex(CREDENTIAL_FORMAT);

/** Token of a link that signs in. */
export const tokenField = z.string().regex(/^[\w-]{1,500}$/);

/** A link that a browser may open. */
const linkField = z.url({ protocol: /^https?$/ });

/** Whether a reply is about the requested player. Names are case-insensitive at all providers. */
export const isAbout = (username: string, reported: { username: string }): boolean =>
  reported.username.toLowerCase() === username.toLowerCase();

// Replies of most providers, with common field names.
const nameReply = z.object({ username: usernameField });
const balanceReply = nameReply.extend({ balance: creditsField, outstanding: creditsField, turnover: creditsField });
const movedReply = nameReply.extend({ amount: creditsField, before: creditsField, after: creditsField });
const linkReply = z.object({ url: linkField });

/** `{username}`: the created player, if it is the requested one. */
export const createdParser = ({ username }: Pick<Player, 'username'>): ProviderCall<Created>['read'] =>
  parseReply(nameReply, (reported) => (isAbout(username, reported) ? { username: reported.username } : undefined));

/** `{username}`: the player whose password was set, if it is the requested one. */
export const passwordSetParser = ({ username }: Pick<Player, 'username'>): ProviderCall<true>['read'] =>
  parseReply(nameReply, (reported) => isAbout(username, reported) || undefined);

/** `{username, balance, outstanding, turnover}` of the requested player. */
export const balanceParser = (username: string): ProviderCall<ProviderBalance>['read'] =>
  parseReply(balanceReply, ({ balance: cash, outstanding, turnover, ...reported }) =>
    isAbout(username, reported) ? { cash, outstanding, turnover } : undefined,
  );

/** `{username, amount, before, after}`: the movement, if it is the requested one. */
export const movedParser = (movement: Movement): ProviderCall<Moved>['read'] =>
  parseReply(movedReply, (reported) => parseMovement(movement, reported));

/** `{url}`: URL that signs the browser in. */
export const linkParser: ProviderCall<{ link: string }>['read'] = parseReply(linkReply, ({ url }) => ({ link: url }));

/** The provider's movement, if it is the requested one. */
export const parseMovement = (movement: Movement, reported: z.output<typeof movedReply>): Moved | undefined =>
  isAbout(movement.username, reported) && reported.amount === movement.amount && changedByExactly(movement, reported)
    ? { balance: reported.after }
    : undefined;

/** Whether the balance changed by exactly this movement. */
export const changedByExactly = (movement: Movement, { before, after }: { before: Credits; after: Credits }): boolean =>
  after - before === balanceChange(movement);
