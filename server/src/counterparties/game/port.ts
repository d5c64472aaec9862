/**
 * What a game provider can do, whoever it is. Nothing here throws for what the outside does: a refusal, silence or
 * nonsense is an outcome, because each leads to another step with the member's money.
 */

import type { Language } from '@krapao/contract/languages';

declare const creditsBrand: unique symbol;
/** A provider's money in hundredths of a credit: the member's minor units × the game's `ftWalletSlot`. */
export type Credits = bigint & { readonly [creditsBrand]: true };

/** Marks hundredths of a credit. */
export const credits = (hundredths: bigint): Credits => hundredths as Credits;

/**
 * unreachable: the call never left this machine · insufficient: not that much money there · exists: the name is taken ·
 * no-player: no such player · no-transfer: no such transfer · open-bets: nothing leaves while bets are open · pool-empty:
 * the provider has no account left to give · maintenance: closed for now · declined: any other proven no
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
/** Proven: nothing was done. */
export type Refused = { outcome: 'refused'; reason: RefusalReason; note: string };
/** Perhaps it was done, perhaps it will be: no answer, a broken answer, or the provider says that it doesn't know. */
export type Unknown = { outcome: 'unknown'; note: string };
export type Outcome<T> = Done<T> | Refused | Unknown;

/**
 * `cash` can be moved; `outstanding` is staked in rounds that are still open; `turnover` is what was staked in settled
 * rounds since the player was opened, null where the provider doesn't tell.
 */
export type ProviderBalance = { cash: Credits; outstanding: Credits; turnover: Credits | null };

export type Direction = 'in' | 'out';
/** `reference` is ours, always the same for one transfer: 1–50 of `[A-Za-z0-9_-]`. */
export type Movement = { username: string; direction: Direction; amount: Credits; reference: string };
/** `balance`: the player's cash right after the movement, null where the provider doesn't tell. */
export type Moved = { balance: Credits | null };

export type Player = { username: string; password: string };
/** `password` only where the provider chose it itself. */
export type Created = { username: string; password?: string };
/** What a browser posts to sign in at a provider's site. */
export type LoginForm = { action: string; fields: Readonly<Record<string, string>> };
export type LaunchWish = Player & {
  /** The provider's own code of the game; null for its main game. */
  game: string | null;
  language: Language;
  returnUrl: string;
};

/** What a posted form may tell besides who signs in. */
export type FormWish = Pick<LaunchWish, 'language' | 'returnUrl'>;

/**
 * How a game opens in the member's browser. link: an address that signs in, made for this one time; `needsPassword`: it
 * holds the password · form: the browser posts username and password to the site, and where it leads back to · fixed: one address for everybody,
 * where the member signs in by hand
 */
export type Launch =
  | { kind: 'link'; needsPassword: boolean; open(wish: LaunchWish): Promise<Outcome<{ link: string }>> }
  | { kind: 'form'; form(player: Player, wish: FormWish): LoginForm }
  | { kind: 'fixed'; address: string };

export type GameProvider = {
  /** Name in the configuration, and of the house account `provider:NAME`. */
  name: string;
  /** How long one call may take. */
  timeoutMs: number;
  /** Opens a player. Doing it again with the same name is `exists`, or answers the same player again. */
  create(player: Player): Promise<Outcome<Created>>;
  /** Setting the same password twice leaves it set. */
  setPassword(player: Player): Promise<Outcome<undefined>>;
  /** `timeoutMs` when the asker has less patience than usual. */
  balance(username: string, timeoutMs?: number): Promise<Outcome<ProviderBalance>>;
  move(movement: Movement): Promise<Outcome<Moved>>;
  /**
   * What became of a movement: done, or refused with `no-transfer`. Undefined for a provider that can't be asked; there only
   * the balance before and after tells.
   */
  check: ((movement: Movement) => Promise<Outcome<Moved>>) | undefined;
  launch: Launch;
  /** What a browser opens of it, without a slash at the end. */
  site: string;
};
