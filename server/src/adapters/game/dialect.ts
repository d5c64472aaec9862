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
import { balanceParser, createdParser, movedParser, passwordSetParser } from './replies.ts';

export type Fields = Readonly<Record<string, string | number>>;

export type ProviderCall<T> = {
  method: 'GET' | 'POST' | 'PUT';
  /** Path after the provider's URL, with encoded segments. */
  path: string;
  fields?: Fields;
  /** Parses the data of a successful reply. Undefined: malformed, or about another subject; proves nothing. */
  read(data: unknown): T | undefined;
};

/** Authentication of a call: additional fields, headers, query parameters. */
export type CallSignature = { fields?: Fields; headers?: Readonly<Record<string, string>>; query?: Fields };
export type Unsigned = Pick<ProviderCall<unknown>, 'method' | 'path'> & { fields: Fields };

/** `over`: the signature that the provider has just refused as expired. `timeoutMs`: timeout of the caller. */
export type Signing = { over: CallSignature | undefined; timeoutMs: number };

/** `mark` changes with every bet placed. */
export type OpenBets = { outstanding: Credits; mark: string };

/** Meaning of a provider's code. unknown: proves nothing · renew: sign again and retry once */
export type ReplyMeaning = RefusalReason | 'unknown' | 'renew';

/** The protocol of one kind of provider, as data for the common adapter. */
export type Dialect = {
  /** Encoding of the fields of a call. A GET always has them in the query. */
  encoding: 'json' | 'form';
  /** HTTP statuses of JSON replies; default: only 200. */
  statuses?: readonly number[];
  /** Content of a reply: data or a refusal code; undefined for neither. `unsigned` is the call. */
  verdict(replyBody: unknown, status: number, unsigned: Unsigned): { data: unknown } | { code: string } | undefined;
  /** Meanings of the provider's codes. An unlisted code proves nothing; plain refusals are listed as `declined`. */
  codes: Readonly<Record<string, ReplyMeaning>>;
  /** Signs a call. `Refused`: signing failed, and nothing was sent. */
  sign(call: Unsigned, signing: Signing): CallSignature | Promise<CallSignature | Refused>;
  create(player: Player): ProviderCall<Created>;
  /** `create` sets no password; a separate call sets it right afterwards. */
  isPasswordApart?: true;
  setPassword(player: Player): ProviderCall<true>;
  balance(username: string): ProviderCall<ProviderBalance>;
  /** Field of the settings that `balance` does not send, so that a probe does not prove it. */
  unprobed?: string;
  /** For providers with a separate call for open stakes, which replaces the stakes of `balance`. */
  outstanding?(username: string): ProviderCall<OpenBets>;
  move(movement: Movement): ProviderCall<Moved>;
  /** Status inquiry by reference, if the provider has one. */
  check?: (movement: Movement) => ProviderCall<Moved>;
  launch: DialectLaunch;
};

/** How the provider's games open. `site`: site for browsers, of the chosen variant. */
export type DialectLaunch =
  | { kind: 'link'; needsPassword: boolean; ask(options: LaunchOptions, site: string): ProviderCall<{ link: string }> }
  | { kind: 'link'; needsPassword: boolean; build(options: LaunchOptions, site: string): string }
  | { kind: 'form'; form(player: Player, options: FormOptions, site: string): LoginForm }
  | { kind: 'fixed'; path: string };

/** Describes a POST call. */
export const post = <T>(path: string, fields: Fields, read: ProviderCall<T>['read']): ProviderCall<T> => ({
  method: 'POST',
  path,
  fields,
  read,
});

/** JSON text of the fields, which signatures cover. */
export const jsonBody = (fields: Fields): string => JSON.stringify(fields);

export const callPath = (...segments: string[]): string => `/${segments.map(encodeURIComponent).join('/')}`;

/** Describes a call by its name in the provider's API. */
export type CallByName = <T>(word: string, fields: Fields, read: ProviderCall<T>['read']) => ProviderCall<T>;

/**
 * Calls of the most common protocol: one name per call, common field names, and no client reference. A dialect
 * overrides its specifics.
 */
export const plainCalls = (callByName: CallByName): Pick<Dialect, 'create' | 'setPassword' | 'balance' | 'move'> => ({
  create: (player) => callByName('create', player, createdParser(player)),
  setPassword: (player) => callByName('password', player, passwordSetParser(player)),
  balance: (username) => callByName('balance', { username }, balanceParser(username)),
  move: (movement) => callByName(directionFields(movement), movementFields(movement), movedParser(movement)),
});

/** Common names of the two directions. */
export const directionFields = ({ direction }: Pick<Movement, 'direction'>): 'deposit' | 'withdraw' =>
  direction === 'in' ? 'deposit' : 'withdraw';

/** Player and amount of a movement. */
export const movementFields = ({ username, amount }: Movement): { username: string; amount: string } => ({
  username,
  amount: writeCredits(amount),
});
