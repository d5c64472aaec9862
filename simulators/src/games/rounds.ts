import { Refusal } from '../refusal.ts';
import type { Store } from '../store.ts';
import type { Players } from './players.ts';
import type { Provider } from './providers.ts';

/**
 * A round: a stake and its win. Satang of credit; times in milliseconds since 1970. `win` null: open. `bets`: subject
 * of the stake; `outcome`: the result; both in the format of the game, usually JSON. `balanceAfter`: the player's
 * balance right after the round was played or settled.
 */
export type Round = {
  id: number;
  username: string;
  game: string | null;
  stake: number;
  win: number | null;
  bets: string | null;
  outcome: string | null;
  at: number;
  settledAt: number | null;
  balanceAfter: number;
};

/** A round to play. */
export type Play = {
  stake: number;
  /** Payout of a round without a draw; null leaves the round open. */
  win: number | null;
  /** Idempotency key: a repeated request returns the same round. */
  key: string | null;
  game?: string;
  bets?: string;
  /** Draws the result, inside the transaction and only if the stake is covered; throwing rolls everything back. */
  outcome?: () => { win: number; text: string } | null;
};

/** The end of an open round. `void`: the stake is returned and does not count as turnover. */
export type Settlement = { id: number; win: number | 'void'; outcome?: string };

const ROUND_COLUMNS =
  'id, username, game, stake, win, bets, outcome, at, settled_at as settledAt, balance_after as balanceAfter';

/** The rounds of one provider's players: takes stakes and pays wins. */
export class Rounds {
  readonly #provider: Provider;
  readonly #store: Store;
  readonly #players: Players;

  constructor(store: Store, players: Players) {
    this.#provider = players.provider;
    this.#store = store;
    this.#players = players;
  }

  /**
   * Plays a round: takes the stake, pays the win (or leaves the round open).
   * @throws Refusal `unknown_player`, `not_enough_money`
   */
  play(username: string, round: Play): Round {
    return this.#store.atomically(() => {
      const player = this.#players.find(username);
      if (!player) throw new Refusal(404, 'unknown_player', 'There is no such player');
      const existingRound = round.key === null ? undefined : this.#byKey(player.username, round.key);
      if (existingRound) return existingRound;
      if (round.stake > player.balance)
        throw new Refusal(409, 'not_enough_money', 'The credit does not cover the stake');
      const drawnOutcome = round.outcome?.() ?? null;
      const win = drawnOutcome?.win ?? round.win;
      const now = Date.now();
      const balanceAfter = player.balance - round.stake + (win ?? 0);
      this.#store.run(
        'update player set balance = ?, staked = staked + ?, won = won + ? where provider = ? and username = ?',
        balanceAfter,
        round.stake,
        win ?? 0,
        this.#provider,
        player.username,
      );
      const { id } = this.#store.run(
        `insert into round (provider, username, key, game, stake, win, bets, outcome, at, settled_at, balance_after)
         values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        this.#provider,
        player.username,
        round.key,
        round.game ?? null,
        round.stake,
        win,
        round.bets ?? null,
        drawnOutcome?.text ?? null,
        now,
        win === null ? null : now,
        balanceAfter,
      );
      return this.#mustFind(id);
    });
  }

  /** Settles an open round of a player. @throws Refusal `unknown_round` when there is no such open round */
  settle(username: string, settlement: Settlement): Round {
    return this.#store.atomically(() => {
      if (this.find(settlement.id)?.username !== username.toLowerCase()) throw unknownRound();
      return this.#settle(settlement);
    });
  }

  /** Settles open rounds of any players, atomically. @throws Refusal `unknown_round` */
  settleAll(settlements: readonly Settlement[]): void {
    this.#store.atomically(() => {
      for (const settlement of settlements) this.#settle(settlement);
    });
  }

  find(id: number): Round | undefined {
    return this.#store.one<Round>(
      `select ${ROUND_COLUMNS} from round where provider = ? and id = ?`,
      this.#provider,
      id,
    );
  }

  /** Rounds, newest first. `username` null: of all players; `game` null: of all games. */
  list(filter: { username: string | null; open: boolean; game?: string; limit?: number }): Round[] {
    return this.#store.all<Round>(
      `select ${ROUND_COLUMNS} from round
       where provider = ?1 and (?2 is null or username = ?2) and (?3 is null or game = ?3)
         and win is ${filter.open ? '' : 'not '}null order by id desc limit ?4`,
      this.#provider,
      filter.username?.toLowerCase() ?? null,
      filter.game ?? null,
      filter.limit ?? -1,
    );
  }

  #settle({ id, win, outcome }: Settlement): Round {
    const open = this.find(id);
    if (open?.win !== null) throw unknownRound();
    const paidAmount = win === 'void' ? open.stake : win;
    this.#store.run(
      `update player set balance = balance + ?1, won = won + ?1, voided = voided + ?2
       where provider = ?3 and username = ?4`,
      paidAmount,
      win === 'void' ? open.stake : 0,
      this.#provider,
      open.username,
    );
    this.#store.run(
      `update round set win = ?1, outcome = coalesce(?2, outcome), settled_at = ?3,
         balance_after = (select balance from player where provider = ?4 and username = ?5)
       where id = ?6 and provider = ?4`,
      paidAmount,
      outcome ?? null,
      Date.now(),
      this.#provider,
      open.username,
      id,
    );
    return this.#mustFind(id);
  }

  #mustFind(id: number): Round {
    const round = this.find(id);
    if (!round) throw new Error(`round ${id} vanished`);
    return round;
  }

  #byKey(username: string, key: string): Round | undefined {
    return this.#store.one<Round>(
      `select ${ROUND_COLUMNS} from round where provider = ? and username = ? and key = ?`,
      this.#provider,
      username,
      key,
    );
  }
}

function unknownRound(): Refusal {
  return new Refusal(404, 'unknown_round', 'There is no such open round');
}
