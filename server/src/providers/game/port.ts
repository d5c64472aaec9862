/**
 * What a game provider can do, whoever it is. Nothing here throws for what the outside does: a refusal, silence or
 * nonsense is an outcome, because each leads to another step with the member's money.
 */

declare const creditsBrand: unique symbol;
/** A provider's money in hundredths of a credit: the member's minor units × the game's `ftWalletSlot`. */
export type Credits = bigint & { readonly [creditsBrand]: true };

/** Marks hundredths of a credit. */
export const credits = (hundredths: bigint): Credits => hundredths as Credits;

/**
 * unreachable: the call never left this machine · insufficient: not that much money there · exists: the name is taken ·
 * absent: no such player, or no such transfer · declined: any other proven no
 */
export type RefusalReason = 'unreachable' | 'insufficient' | 'exists' | 'absent' | 'declined';

export type Done<T> = { outcome: 'done'; value: T };
/** Proven: nothing was done. */
export type Refused = { outcome: 'refused'; reason: RefusalReason; note: string };
/** Perhaps it was done, perhaps it will be: no answer, a broken answer, or the provider says that it doesn't know. */
export type Unknown = { outcome: 'unknown'; note: string };
export type Outcome<T> = Done<T> | Refused | Unknown;

/** `cash` can be moved; `outstanding` is staked in rounds that are still open. */
export type ProviderBalance = { cash: Credits; outstanding: Credits };

export type Direction = 'in' | 'out';
/** `reference` is ours, always the same for one transfer: 1–50 of `[A-Za-z0-9_-]`. */
export type Movement = { username: string; direction: Direction; amount: Credits; reference: string };
/** `balance`: the player's cash right after the movement. */
export type Moved = { balance: Credits };

export type Player = { username: string; password: string };
export type LaunchWish = Player & {
  /** The provider's own code of the game; null for its main game. */
  game: string | null;
  language: 'th' | 'en';
  returnUrl: string;
};

export type GameProvider = {
  /** Name in the configuration, and of the house account `provider:NAME`. */
  name: string;
  /** How long one call may take. */
  timeoutMs: number;
  /** Opens a player. Doing it again with the same name is `exists`. */
  create(player: Player): Promise<Outcome<{ username: string }>>;
  /** Setting the same password twice leaves it set. */
  setPassword(player: Player): Promise<Outcome<undefined>>;
  /** `timeoutMs` when the asker has less patience than usual. */
  balance(username: string, timeoutMs?: number): Promise<Outcome<ProviderBalance>>;
  move(movement: Movement): Promise<Outcome<Moved>>;
  /**
   * What became of a movement: done, or refused with `absent`. Undefined for a provider that can't be asked; there only
   * the balance before and after tells.
   */
  check: ((movement: Movement) => Promise<Outcome<Moved>>) | undefined;
  /** A link that opens the game in the member's browser, signed in. */
  launch(wish: LaunchWish): Promise<Outcome<{ link: string }>>;
};
