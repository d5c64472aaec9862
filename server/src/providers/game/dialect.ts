import { z } from 'zod';
import { changeOf, readChange, readCredits } from './credits.ts';
import type {
  Created,
  Credits,
  LaunchWish,
  LoginForm,
  Moved,
  Movement,
  Player,
  ProviderBalance,
  Refused,
  RefusalReason,
} from './port.ts';

export type Fields = Readonly<Record<string, string | number>>;

/** One question to a provider. */
export type Call<T> = {
  method: 'GET' | 'POST' | 'PUT';
  /** After the provider's address, each part encoded. */
  path: string;
  fields?: Fields;
  /** Reads the data of a good answer. Undefined: another shape, or about something else than was asked; proves nothing. */
  read(data: unknown): T | undefined;
};

/** What proves that it is us: fields beside those of the call, headers, words of the query. */
export type Signature = { fields?: Fields; headers?: Readonly<Record<string, string>>; query?: Fields };
export type Unsigned = Pick<Call<unknown>, 'method' | 'path'> & { fields: Fields };

/** `over`: the signature that the provider has just called over; `timeoutMs`: how long the asker waits. */
export type Signing = { over: Signature | undefined; timeoutMs: number };

/** `mark` changes with every bet that is made. */
export type OpenBets = { outstanding: Credits; mark: string };

/** What a code of the provider means. unknown: it proves nothing · renew: sign anew and ask once more */
export type Meaning = RefusalReason | 'unknown' | 'renew';

/**
 * What one kind of provider wants to hear and how it answers. The adapter does the rest in the same way for all of them.
 */
export type Dialect = {
  /** How the fields of a call travel. Those of a GET stand in the query in any case. */
  encoding: 'json' | 'form';
  /** HTTP statuses under which it speaks JSON; 200 alone when left out. */
  statuses?: readonly number[];
  /** What an answer says: data, or a code of a refusal. Undefined when it says neither. `asked` is what it answers. */
  verdict(answer: unknown, status: number, asked: Unsigned): { data: unknown } | { code: string } | undefined;
  /** What its codes mean; a proven no that stands for nothing else when a code is not here. */
  codes: Readonly<Record<string, Meaning>>;
  /** Signs a call. `Refused` when it could not: then nothing was sent. */
  sign(call: Unsigned, signing: Signing): Signature | Promise<Signature | Refused>;
  create(player: Player): Call<Created>;
  /** `create` leaves the player without a password: it is set by a call of its own right afterwards. */
  isPasswordApart?: true;
  setPassword(player: Player): Call<true>;
  balance(username: string): Call<ProviderBalance>;
  /** Where open stakes are told by a call of their own; what `balance` says of them is not looked at then. */
  outstanding?(username: string): Call<OpenBets>;
  move(movement: Movement): Call<Moved>;
  /** Where it can be asked what became of a reference. */
  check?: (movement: Movement) => Call<Moved>;
  launch: DialectLaunch;
};

/** `site` is what browsers open of the provider, of the chosen variant. */
export type DialectLaunch =
  | { kind: 'link'; needsPassword: boolean; ask(wish: LaunchWish, site: string): Call<{ link: string }> }
  | { kind: 'link'; needsPassword: boolean; build(wish: LaunchWish, site: string): string }
  | { kind: 'form'; form(player: Player, site: string): LoginForm }
  | { kind: 'fixed'; path: string };

/** A question by POST. */
export const post = <T>(path: string, fields: Fields, read: Call<T>['read']): Call<T> => ({
  method: 'POST',
  path,
  fields,
  read,
});

/** The text that travels as a JSON body, for those who sign it. */
export const jsonBody = (fields: Fields): string => JSON.stringify(fields);

/** Reads by a schema, and by what it must be about. */
export const reads =
  <S extends z.ZodType, T>(schema: S, take: (value: z.output<S>) => T | undefined) =>
  (data: unknown): T | undefined => {
    const read = schema.safeParse(data);
    return read.success ? take(read.data) : undefined;
  };

/** For calls whose answer says nothing but yes. */
export const readsYes = (): true => true;

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

/** A username that we can keep. */
export const usernameField = z.string().regex(CREDENTIAL);

/** A password that we can keep. */
export const passwordField = z.string().regex(CREDENTIAL);

/** Whether an answer speaks of the player who was asked about. Names are not case-sensitive anywhere. */
export const isAbout = (username: string, told: { username: string }): boolean =>
  told.username.toLowerCase() === username.toLowerCase();

/** The player who was opened, if it is the one who was asked for. */
export const createdAsAsked = ({ username }: Pick<Player, 'username'>, told: Created): Created | undefined =>
  isAbout(username, told) ? { username: told.username } : undefined;

/** What the provider moved, if that is what it was asked for. */
export function movedAsAsked(
  { username, direction, amount }: Movement,
  told: { username: string; amount: Credits; before: Credits; after: Credits },
): Moved | undefined {
  const isAsked =
    isAbout(username, told) && told.amount === amount && told.after - told.before === changeOf({ direction, amount });
  return isAsked ? { balance: told.after } : undefined;
}

/** What stands in a link and signs in. */
export const tokenField = z.string().regex(/^[\w-]{1,500}$/);

/** A link that a browser may open. */
export const linkField = z.url({ protocol: /^https?$/ });

/** A path of words and names. */
export const pathOf = (...parts: string[]): string => `/${parts.map(encodeURIComponent).join('/')}`;
