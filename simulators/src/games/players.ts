import { createHmac, randomInt } from 'node:crypto';
import { fitsHash, saltedHash } from '../outside/secrets.ts';
import type { Store } from '../store.ts';
import type { Provider } from './providers.ts';

/**
 * A player: movable balance, stakes of open rounds, and turnover (stakes of settled rounds without void ones). Satang
 * of credit.
 */
export type Player = { username: string; balance: number; outstanding: number; turnover: number };

/** An account named by the provider. `password` null: it was changed later and is unknown. */
export type PoolAccount = { username: string; password: string | null };

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

const PASSWORD_ALPHABET = 'abcdefghjkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const POOL_PASSWORD_LENGTH = 12;
const OUTSTANDING_SQL = `(select coalesce(sum(stake), 0) from round r where r.provider = p.provider and r.username = p.username and r.win is null)`;
const FIGURE_COLUMNS = `balance, ${OUTSTANDING_SQL} as outstanding, staked - voided - ${OUTSTANDING_SQL} as turnover`;
const TRANSFER_COLUMNS = 'id, username, reference, direction, asked, amount, before, after, at';

/** The players of one provider: credit, transfers and rounds. Names are case-insensitive. */
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
      password === null ? null : saltedHash(password),
    );
    return changes === 1;
  }

  /**
   * The account assigned to the caller's reference, or a new one from the pool.
   * @param pool number of accounts left, null for unlimited; a new account decrements it
   */
  fromPool(memberRef: string, pool: { pool: number | null }): PoolAccount | 'pool-empty' {
    return this.#store.atomically(() => {
      const password = this.#poolPassword(memberRef);
      const existingPlayer = this.#store.one<{ username: string }>(
        'select username from player where provider = ? and pool_reference = ?',
        this.provider,
        memberRef,
      );
      if (existingPlayer) {
        const { username } = existingPlayer;
        return { username, password: this.passwordFits(username, password) ? password : null };
      }
      if (pool.pool !== null && pool.pool <= 0) return 'pool-empty';
      const account = { username: this.#freeName(), password };
      this.#store.run(
        'insert into player (provider, username, password, pool_reference) values (?, ?, ?, ?)',
        this.provider,
        account.username,
        saltedHash(password),
        memberRef,
      );
      if (pool.pool !== null) pool.pool -= 1;
      return account;
    });
  }

  /** Sets a password; false when there is no such player. */
  setPassword(username: string, password: string): boolean {
    const { changes } = this.#store.run(
      'update player set password = ? where provider = ? and username = ?',
      saltedHash(password),
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
    return typeof row?.password === 'string' && fitsHash(password, row.password);
  }

  find(username: string): Player | undefined {
    return this.#store.one<Player>(
      `select username, ${FIGURE_COLUMNS} from player p where provider = ? and username = ?`,
      this.provider,
      username.toLowerCase(),
    );
  }

  /**
   * Moves credit in or out immediately.
   * @param order.amount satang; ignored for `all-out`, which moves the whole balance
   * @param order.unlessOpenBets refuses to pay out while rounds are open
   * @returns the transfer, or the reason of a failure
   */
  transfer(order: {
    username: string;
    direction: GameTransfer['direction'];
    amount: number;
    reference: string | null;
    unlessOpenBets?: boolean;
  }): GameTransfer | 'unknown-player' | 'not-enough' | 'open-bets' {
    return this.#store.atomically(() => {
      const player = this.find(order.username);
      if (!player) return 'unknown-player';
      if (order.unlessOpenBets && order.direction !== 'in' && player.outstanding > 0) return 'open-bets';
      const amount = order.direction === 'all-out' ? player.balance : order.amount;
      if (order.direction !== 'in' && amount > player.balance) return 'not-enough';
      const balanceAfter = order.direction === 'in' ? player.balance + amount : player.balance - amount;
      const total = order.direction === 'in' ? 'transferred_in' : 'transferred_out';
      this.#store.run(
        `update player set balance = ?, ${total} = ${total} + ? where provider = ? and username = ?`,
        balanceAfter,
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
        balanceAfter,
        Date.now(),
      );
      const storedTransfer = this.#store.one<GameTransfer>(
        `select ${TRANSFER_COLUMNS} from game_transfer where id = ?`,
        id,
      );
      if (!storedTransfer) throw new Error(`transfer ${id} vanished`);
      return storedTransfer;
    });
  }

  transferByReference(reference: string): GameTransfer | undefined {
    return this.#store.one<GameTransfer>(
      `select ${TRANSFER_COLUMNS} from game_transfer where provider = ? and reference = ?`,
      this.provider,
      reference,
    );
  }

  #freeName(): string {
    const name = `${this.provider}${String(randomInt(100_000_000)).padStart(8, '0')}`.slice(0, 16);
    return this.find(name) ? this.#freeName() : name;
  }

  /** Derives a password from the reference, so that a lost reply can be repeated without storing the password. */
  #poolPassword(memberRef: string): string {
    const bytes = createHmac('sha256', this.#store.secret).update(`${this.provider}:${memberRef}`).digest();
    return Array.from(
      bytes.subarray(0, POOL_PASSWORD_LENGTH),
      (byte) => PASSWORD_ALPHABET[byte % PASSWORD_ALPHABET.length],
    ).join('');
  }
}

/** All players of all providers with their totals. */
export function playerTotals(store: Store): PlayerTotals[] {
  return store.all<PlayerTotals>(
    `select provider, username, ${FIGURE_COLUMNS}, transferred_in as transferredIn,
       transferred_out as transferredOut, staked, won from player p order by provider, username`,
  );
}
