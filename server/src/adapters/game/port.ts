import type { Language } from '@krapao/contract/languages';
import { toDecimal } from '@krapao/contract/money';
import { parseGrouped } from '../outside-text.ts';
import type { Probe } from '../probe.ts';

declare const creditsBrand: unique symbol;
/** A provider's money in hundredths of a credit: the member's minor units × the game's multiplier. */
export type Credits = bigint & { readonly [creditsBrand]: true };

/** Brands hundredths of a credit. */
export const credits = (hundredths: bigint): Credits => hundredths as Credits;

/**
 * unreachable: the call was not sent · insufficient: the player has too little money · exists: the name is taken ·
 * no-player: unknown player · no-transfer: unknown transfer · open-bets: no withdrawals while bets are open ·
 * pool-empty: the provider has no account left · maintenance: temporarily closed · declined: any other proven refusal
 */
export type RefusalReason =
  | 'unreachable'
  | 'insufficient'
  | 'exists'
  | 'no-player'
  | 'no-transfer'
  | 'open-bets'
  | 'pool-empty'
  | 'maintenance'
  | 'declined';

export type Done<T> = { outcome: 'done'; value: T };
/** Proven: the call had no effect. */
export type Refused = { outcome: 'refused'; reason: RefusalReason; note: string };
/** The call may have taken effect, or may still do so: no reply, a malformed reply, or the provider does not know. */
export type Unknown = { outcome: 'unknown'; note: string };
export type Outcome<T> = Done<T> | Refused | Unknown;

/**
 * `cash` can be moved. `outstanding` is the stake of open rounds. `turnover` is the stake of settled rounds since the
 * player was created; null where the provider doesn't report it.
 */
export type ProviderBalance = { cash: Credits; outstanding: Credits; turnover: Credits | null };

export type Direction = 'in' | 'out';
/** `reference`: our reference, the same for all calls of one transfer: 1–50 of `[A-Za-z0-9_-]`. */
export type Movement = { username: string; direction: Direction; amount: Credits; reference: string };
/** `balance`: the player's cash right after the movement; null where the provider doesn't report it. */
export type Moved = { balance: Credits | null };

export type Player = { username: string; password: string };
/** `password`: only where the provider chooses it. */
export type Created = { username: string; password?: string };
/** The form that a browser posts to sign in at a provider's site. */
export type LoginForm = { action: string; fields: Readonly<Record<string, string>> };
export type LaunchOptions = Player & {
  /** The provider's code of the game; null: its main game. */
  game: string | null;
  language: Language;
  returnUrl: string;
};

/** Fields of a posted form, without the credentials. */
export type FormOptions = Pick<LaunchOptions, 'language' | 'returnUrl'>;

/**
 * How a game opens in the member's browser. link: a single-use URL that signs in; `needsPassword`: the URL contains the
 * password · form: the browser posts username, password and return URL to the site · fixed: one URL for all, where the
 * member signs in manually
 */
export type Launch =
  | { kind: 'link'; needsPassword: boolean; open(options: LaunchOptions): Promise<Outcome<{ link: string }>> }
  | { kind: 'form'; form(player: Player, options: FormOptions): LoginForm }
  | { kind: 'fixed'; address: string };

export type GameProvider = {
  /** Name in the configuration, and in the house account `provider:NAME`. */
  name: string;
  /** Timeout of one call. */
  timeoutMs: number;
  /** Creates a player. An existing name is `exists`, or returns the same player. */
  create(player: Player): Promise<Outcome<Created>>;
  /** Idempotent. */
  setPassword(player: Player): Promise<Outcome<undefined>>;
  /** Cash and open stakes of a player. `timeoutMs`: a shorter timeout of the caller. */
  balance(username: string, timeoutMs?: number): Promise<Outcome<ProviderBalance>>;
  move(movement: Movement): Promise<Outcome<Moved>>;
  /**
   * Outcome of a movement: done, or refused with `no-transfer`. Undefined for a provider without status inquiry, where
   * only the balance before and after proves the outcome.
   */
  check: ((movement: Movement) => Promise<Outcome<Moved>>) | undefined;
  /** Reads the balance of a player that does not exist. */
  probe?: Probe;
  /** Credential that `probe` does not send. */
  unprobed?: string | undefined;
  launch: Launch;
  /** Whether the provider refuses every movement out while a bet is open, even of the remaining cash. */
  isLockedByOpenBets: boolean;
  /** URL of the site for browsers, without a trailing slash. */
  site: string;
};

/**
 * Parses a provider's amount: a JSON number or a text, at most two decimals, with or without thousands commas, not
 * negative. Undefined for anything else.
 */
export function readCredits(value: unknown): Credits | undefined {
  const hundredths = readChange(value);
  return hundredths !== undefined && hundredths >= 0n ? hundredths : undefined;
}

/** Like {@link readCredits}, with a sign: negative for a movement out. */
export function readChange(value: unknown): Credits | undefined {
  if (typeof value !== 'number' && typeof value !== 'string') return undefined;
  const hundredths = parseGrouped(String(value));
  return hundredths === undefined ? undefined : credits(hundredths);
}

/** Formats credits in the format that every provider accepts: "100.00". */
export const writeCredits = (amount: Credits): string => toDecimal(amount);

/** Change of the player's balance: negative for a movement out. */
export const balanceChange = ({ direction, amount }: Pick<Movement, 'direction' | 'amount'>): Credits =>
  credits(direction === 'in' ? amount : 0n - amount);
