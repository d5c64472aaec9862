import type { Language } from '@krapao/contract/languages';
import { toDecimal } from '@krapao/contract/money';
import { parseGrouped } from '../outside-text.ts';

declare const creditsBrand: unique symbol;
/** A provider's money in hundredths of a credit: the member's minor units × the game's `ftWalletSlot`. */
export type Credits = bigint & { readonly [creditsBrand]: true };

/** Marks hundredths of a credit. */
export const credits = (hundredths: bigint): Credits => hundredths as Credits;

/**
 * unreachable: the call never left this machine · insufficient: not enough money there · exists: the name is taken ·
 * no-player: no such player · no-transfer: no such transfer · open-bets: no withdrawals while bets are open ·
 * pool-empty: the provider has no account left · maintenance: closed for now · declined: any other proven refusal
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
/** Proven: it had no effect. */
export type Refused = { outcome: 'refused'; reason: RefusalReason; note: string };
/** It may have taken effect, or may still do so: no answer, a malformed answer, or the provider does not know. */
export type Unknown = { outcome: 'unknown'; note: string };
export type Outcome<T> = Done<T> | Refused | Unknown;

/**
 * `cash` can be moved; `outstanding` is staked in rounds that are still open; `turnover` is what was staked in settled
 * rounds since the player was opened, null where the provider doesn't report it.
 */
export type ProviderBalance = { cash: Credits; outstanding: Credits; turnover: Credits | null };

export type Direction = 'in' | 'out';
/** `reference` is ours, always the same for one transfer: 1–50 of `[A-Za-z0-9_-]`. */
export type Movement = { username: string; direction: Direction; amount: Credits; reference: string };
/** `balance`: the player's cash right after the movement, null where the provider doesn't report it. */
export type Moved = { balance: Credits | null };

export type Player = { username: string; password: string };
/** `password` only where the provider chooses it. */
export type Created = { username: string; password?: string };
/** What a browser posts to sign in at a provider's site. */
export type LoginForm = { action: string; fields: Readonly<Record<string, string>> };
export type LaunchOptions = Player & {
  /** The provider's own code of the game; null for its main game. */
  game: string | null;
  language: Language;
  returnUrl: string;
};

/** Fields of a posted form, without the credentials. */
export type FormOptions = Pick<LaunchOptions, 'language' | 'returnUrl'>;

/**
 * How a game opens in the member's browser. link: a single-use address that signs in; `needsPassword`: it holds the
 * password · form: the browser posts username and password to the site, and with the return address · fixed: one
 * address for all, where the member signs in manually
 */
export type Launch =
  | { kind: 'link'; needsPassword: boolean; open(options: LaunchOptions): Promise<Outcome<{ link: string }>> }
  | { kind: 'form'; form(player: Player, options: FormOptions): LoginForm }
  | { kind: 'fixed'; address: string };

export type GameProvider = {
  /** Name in the configuration, and of the house account `provider:NAME`. */
  name: string;
  /** Timeout of one call. */
  timeoutMs: number;
  /** Opens a player. The same name again is `exists`, or returns the same player. */
  create(player: Player): Promise<Outcome<Created>>;
  /** Idempotent. */
  setPassword(player: Player): Promise<Outcome<undefined>>;
  /** `timeoutMs` when the caller needs a shorter timeout. */
  balance(username: string, timeoutMs?: number): Promise<Outcome<ProviderBalance>>;
  move(movement: Movement): Promise<Outcome<Moved>>;
  /**
   * Outcome of a movement: done, or refused with `no-transfer`. Undefined for a provider without status inquiry; there
   * only the balance before and after proves the outcome.
   */
  check: ((movement: Movement) => Promise<Outcome<Moved>>) | undefined;
  launch: Launch;
  /** The provider refuses every movement out while a bet is open, even of the remaining cash. */
  isLockedByOpenBets: boolean;
  /** Address of its site for browsers, without a trailing slash. */
  site: string;
};

/**
 * Reads a provider's amount: a JSON number or a text, at most two decimals, with or without thousands commas, not
 * negative. Undefined for anything else.
 */
export function readCredits(value: unknown): Credits | undefined {
  const units = readChange(value);
  return units !== undefined && units >= 0n ? units : undefined;
}

/** The same with a sign: negative takes out. */
export function readChange(value: unknown): Credits | undefined {
  if (typeof value !== 'number' && typeof value !== 'string') return undefined;
  const units = parseGrouped(String(value));
  return units === undefined ? undefined : credits(units);
}

/** Formats credits as every provider accepts them: "100.00". */
export const writeCredits = (amount: Credits): string => toDecimal(amount);

/** Change of the balance at the provider: negative for a movement out. */
export const balanceChange = ({ direction, amount }: Pick<Movement, 'direction' | 'amount'>): Credits =>
  credits(direction === 'in' ? amount : 0n - amount);
