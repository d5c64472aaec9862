import type {
  FormWish,
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
  /** What its codes mean. A code that is not here proves nothing: a plain no is listed too, as `declined`. */
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
  | { kind: 'form'; form(player: Player, wish: FormWish, site: string): LoginForm }
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

/** A path of words and names. */
export const pathOf = (...parts: string[]): string => `/${parts.map(encodeURIComponent).join('/')}`;
