import { Refusal } from '../refusal.ts';
import type { Store } from '../store.ts';
import { sha256 } from '../secrets.ts';

export const PROVIDERS = ['pg', 'askmebet'] as const;
export type Provider = (typeof PROVIDERS)[number];

/** A player with what it can move and what is staked in open rounds. Satang of credit. */
export type Player = { username: string; balance: number; outstanding: number };

export type PlayerTotals = Player & {
  provider: string;
  transferredIn: number;
  transferredOut: number;
  staked: number;
  won: number;
};

export type GameTransfer = {
  id: number;
  username: string;
  reference: string | null;
  direction: 'in' | 'out' | 'all-out';
  asked: number | null;
  amount: number;
  before: number;
  after: number;
  at: number;
};

export type Round = { id: number; stake: number; win: number | null; outcome: string | null; balanceAfter: number };

const OUTSTANDING = `(select coalesce(sum(stake), 0) from round r where r.provider = p.provider and r.username = p.username and r.win is null)`;
const TRANSFER = 'id, username, reference, direction, asked, amount, before, after, at';

/** The players of one provider: credit, transfers and rounds. Names are not case-sensitive. */
export class Players {
  readonly provider: Provider;
  readonly #store: Store;

  constructor(store: Store, provider: Provider) {
    this.provider = provider;
    this.#store = store;
  }

  /** Registers a player; false when the name is taken. */
  create(username: string, password: string | null): boolean {
    const { changes } = this.#store.run(
      'insert or ignore into player (provider, username, password) values (?, ?, ?)',
      this.provider,
      username.toLowerCase(),
      password === null ? null : sha256(password),
    );
    return changes === 1;
  }

  /** Sets a password; false when there is no such player. */
  setPassword(username: string, password: string): boolean {
    const { changes } = this.#store.run(
      'update player set password = ? where provider = ? and username = ?',
      sha256(password),
      this.provider,
      username.toLowerCase(),
    );
    return changes === 1;
  }

  passwordFits(username: string, password: string): boolean {
    const row = this.#store.one<{ password: string | null }>(
      'select password from player where provider = ? and username = ?',
      this.provider,
      username.toLowerCase(),
    );
    return row?.password === sha256(password);
  }

  find(username: string): Player | undefined {
    return this.#store.one<Player>(
      `select username, balance, ${OUTSTANDING} as outstanding from player p where provider = ? and username = ?`,
      this.provider,
      username.toLowerCase(),
    );
  }

  /**
   * Moves credit in or out at once.
   * @param order.amount satang; for `all-out` whatever is there
   * @returns the transfer, `unknown-player`, or `not-enough`
   */
  transfer(order: {
    username: string;
    direction: GameTransfer['direction'];
    amount: number;
    reference: string | null;
  }): GameTransfer | 'unknown-player' | 'not-enough' {
    return this.#store.atomically(() => {
      const player = this.find(order.username);
      if (!player) return 'unknown-player';
      const amount = order.direction === 'all-out' ? player.balance : order.amount;
      if (order.direction !== 'in' && amount > player.balance) return 'not-enough';
      const after = order.direction === 'in' ? player.balance + amount : player.balance - amount;
      const total = order.direction === 'in' ? 'transferred_in' : 'transferred_out';
      this.#store.run(
        `update player set balance = ?, ${total} = ${total} + ? where provider = ? and username = ?`,
        after,
        amount,
        this.provider,
        player.username,
      );
      const { id } = this.#store.run(
        `insert into game_transfer (provider, username, reference, direction, asked, amount, before, after, at)
         values (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        this.provider,
        player.username,
        order.reference,
        order.direction,
        order.direction === 'all-out' ? null : order.amount,
        amount,
        player.balance,
        after,
        Date.now(),
      );
      const done = this.#store.one<GameTransfer>(`select ${TRANSFER} from game_transfer where id = ?`, id);
      if (!done) throw new Error(`transfer ${id} vanished`);
      return done;
    });
  }

  transferByReference(reference: string): GameTransfer | undefined {
    return this.#store.one<GameTransfer>(
      `select ${TRANSFER} from game_transfer where provider = ? and reference = ?`,
      this.provider,
      reference,
    );
  }

  /**
   * Plays a round: takes the stake, pays the win (null leaves the round open).
   * @param key a key that makes a repeated request answer the same round
   * @throws Refusal `unknown_player`, `not_enough_money`
   */
  play(
    username: string,
    round: {
      stake: number;
      win: number | null;
      key: string | null;
      outcome: () => { win: number; text: string } | null;
    },
  ): Round {
    return this.#store.atomically(() => {
      const player = this.find(username);
      if (!player) throw new Refusal(404, 'unknown_player', 'There is no such player');
      const known = round.key === null ? undefined : this.#roundByKey(player.username, round.key);
      if (known) return known;
      if (round.stake > player.balance)
        throw new Refusal(409, 'not_enough_money', 'The credit does not cover the stake');
      const drawn = round.outcome();
      const win = drawn?.win ?? round.win;
      const balanceAfter = player.balance - round.stake + (win ?? 0);
      this.#store.run(
        'update player set balance = ?, staked = staked + ?, won = won + ? where provider = ? and username = ?',
        balanceAfter,
        round.stake,
        win ?? 0,
        this.provider,
        player.username,
      );
      const { id } = this.#store.run(
        'insert into round (provider, username, key, stake, win, outcome, at, balance_after) values (?, ?, ?, ?, ?, ?, ?, ?)',
        this.provider,
        player.username,
        round.key,
        round.stake,
        win,
        drawn?.text ?? null,
        Date.now(),
        balanceAfter,
      );
      return { id, stake: round.stake, win, outcome: drawn?.text ?? null, balanceAfter };
    });
  }

  /** Settles an open round. @throws Refusal when there is no such open round */
  settle(username: string, roundId: number, win: number): void {
    this.#store.atomically(() => {
      const { changes } = this.#store.run(
        'update round set win = ?, balance_after = balance_after + ? where id = ? and provider = ? and username = ? and win is null',
        win,
        win,
        roundId,
        this.provider,
        username.toLowerCase(),
      );
      if (changes === 0) throw new Refusal(404, 'unknown_round', 'There is no such open round');
      this.#store.run(
        'update player set balance = balance + ?1, won = won + ?1 where provider = ?2 and username = ?3',
        win,
        this.provider,
        username.toLowerCase(),
      );
    });
  }

  #roundByKey(username: string, key: string): Round | undefined {
    return this.#store.one<Round>(
      'select id, stake, win, outcome, balance_after as balanceAfter from round where provider = ? and username = ? and key = ?',
      this.provider,
      username,
      key,
    );
  }
}

/** All players of all providers with everything that ever moved. */
export function playerTotals(store: Store): PlayerTotals[] {
  return store.all<PlayerTotals>(
    `select provider, username, balance, ${OUTSTANDING} as outstanding, transferred_in as transferredIn,
       transferred_out as transferredOut, staked, won from player p order by provider, username`,
  );
}
