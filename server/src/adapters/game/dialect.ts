import {
  type FormOptions,
  type Created,
  type Credits,
  type LaunchOptions,
  type LoginForm,
  type Moved,
  type Movement,
  type Player,
  type ProviderBalance,
  type Refused,
  type RefusalReason,
  writeCredits,
} from './port.ts';
import { readsBalance, readsCreated, readsMoved, readsSet } from './replies.ts';

export type Fields = Readonly<Record<string, string | number>>;

/** One call to a provider. */
export type ProviderCall<T> = {
  method: 'GET' | 'POST' | 'PUT';
  /** After the provider's address, each part encoded. */
  path: string;
  fields?: Fields;
  /** Parses the data of a successful answer. Undefined: malformed, or about something else; proves nothing. */
  read(data: unknown): T | undefined;
};

/** Authentication: additional fields, headers, query parameters. */
export type CallSignature = { fields?: Fields; headers?: Readonly<Record<string, string>>; query?: Fields };
export type Unsigned = Pick<ProviderCall<unknown>, 'method' | 'path'> & { fields: Fields };

/** `over`: the signature that the provider has just refused as expired; `timeoutMs`: how long the caller waits. */
export type Signing = { over: CallSignature | undefined; timeoutMs: number };

/** `mark` changes with every bet placed. */
export type OpenBets = { outstanding: Credits; mark: string };

/** Meaning of a provider's code. unknown: it proves nothing · renew: sign again and retry once */
export type ReplyMeaning = RefusalReason | 'unknown' | 'renew';

/** The protocol of one kind of provider, as data. The adapter is the same for all of them. */
export type Dialect = {
  /** Encoding of the fields of a call. Those of a GET are always in the query. */
  encoding: 'json' | 'form';
  /** HTTP statuses of JSON answers; only 200 when left out. */
  statuses?: readonly number[];
  /** Content of an answer: data, or a refusal code. Undefined when it is neither. `asked` is the call. */
  verdict(answer: unknown, status: number, asked: Unsigned): { data: unknown } | { code: string } | undefined;
  /** Meanings of its codes. An unlisted code proves nothing: a plain refusal is listed too, as `declined`. */
  codes: Readonly<Record<string, ReplyMeaning>>;
  /** Signs a call. `Refused` when it fails: then nothing was sent. */
  sign(call: Unsigned, signing: Signing): CallSignature | Promise<CallSignature | Refused>;
  create(player: Player): ProviderCall<Created>;
  /** `create` leaves the player without a password: a separate call sets it right afterwards. */
  isPasswordApart?: true;
  setPassword(player: Player): ProviderCall<true>;
  balance(username: string): ProviderCall<ProviderBalance>;
  /** For providers with a separate call for open stakes; those of `balance` are then ignored. */
  outstanding?(username: string): ProviderCall<OpenBets>;
  move(movement: Movement): ProviderCall<Moved>;
  /** Status inquiry by reference, where there is one. */
  check?: (movement: Movement) => ProviderCall<Moved>;
  launch: DialectLaunch;
};

/** `site` is what browsers open of the provider, of the chosen variant. */
export type DialectLaunch =
  | { kind: 'link'; needsPassword: boolean; ask(options: LaunchOptions, site: string): ProviderCall<{ link: string }> }
  | { kind: 'link'; needsPassword: boolean; build(options: LaunchOptions, site: string): string }
  | { kind: 'form'; form(player: Player, options: FormOptions, site: string): LoginForm }
  | { kind: 'fixed'; path: string };

/** A call by POST. */
export const post = <T>(path: string, fields: Fields, read: ProviderCall<T>['read']): ProviderCall<T> => ({
  method: 'POST',
  path,
  fields,
  read,
});

/** The text of a JSON body, for signing it. */
export const jsonBody = (fields: Fields): string => JSON.stringify(fields);

/** A path of encoded parts. */
export const callPath = (...parts: string[]): string => `/${parts.map(encodeURIComponent).join('/')}`;

/** Calls a provider by the name of one of its calls. */
export type CallByName = <T>(word: string, fields: Fields, read: ProviderCall<T>['read']) => ProviderCall<T>;

/**
 * Calls of a provider with the most common protocol: one name per call, the usual names of fields and replies, and no
 * client reference. A dialect overrides what is specific to it.
 */
export const plainCalls = (ask: CallByName): Pick<Dialect, 'create' | 'setPassword' | 'balance' | 'move'> => ({
  create: (player) => ask('create', player, readsCreated(player)),
  setPassword: (player) => ask('password', player, readsSet(player)),
  balance: (username) => ask('balance', { username }, readsBalance(username)),
  move: (movement) => ask(directionFields(movement), movementFields(movement), readsMoved(movement)),
});

/** The usual names of the two directions. */
export const directionFields = ({ direction }: Pick<Movement, 'direction'>): 'deposit' | 'withdraw' =>
  direction === 'in' ? 'deposit' : 'withdraw';

/** Player and amount. */
export const movementFields = ({ username, amount }: Movement): { username: string; amount: string } => ({
  username,
  amount: writeCredits(amount),
});
