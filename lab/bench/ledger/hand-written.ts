import pg from 'pg';
import { MEMBERS, type Transfer } from './transfers.ts';

const POOL_SIZE = 16;
/** Initial balance of a member. */
const START_BALANCE = 1_000_000_000;

/** Straightforward double entry: same guarantees (key, floor, balances, entries), no batches. */
export const HAND_WRITTEN_TABLES = `
  create schema plain;
  create table plain.account (
    id int primary key, bounded boolean not null, balance bigint not null,
    check (not bounded or balance >= 0)) with (fillfactor = 50);
  create table plain.transfer (
    id bigint generated always as identity primary key, key text not null unique, debit int not null, credit int not null,
    amount bigint not null, kind text not null, reference text not null, at timestamptz not null default now());
  create table plain.entry (
    account_id int not null, transfer_id bigint not null, amount bigint not null, balance bigint not null,
    at timestamptz not null default now(), primary key (account_id, transfer_id));
  insert into plain.account select n, true, ${START_BALANCE} from generate_series(0, ${MEMBERS - 1}) n;
  insert into plain.account select ${MEMBERS} + n, false, 0 from generate_series(0, ${MEMBERS - 1}) n;
  analyze plain.account;`;

export class HandWritten {
  readonly #pool: pg.Pool;

  constructor(url: string) {
    this.#pool = new pg.Pool({ connectionString: url, max: POOL_SIZE });
    // The database may stop before the last connection closes.
    this.#pool.on('error', () => {});
  }

  async transfer({ key, member, house, reference }: Transfer): Promise<void> {
    const [debit, credit] = [member, MEMBERS + house];
    const client = await this.#pool.connect();
    const run = (name: string, text: string, values: unknown[]) =>
      client.query<{ id: string; balance: string }>({ name, text, values });
    try {
      await client.query('begin');
      const inserted = await run(
        'transfer',
        `insert into plain.transfer (key, debit, credit, amount, kind, reference) values ($1, $2, $3, 1, 'play', $4)
         on conflict (key) do nothing returning id`,
        [key, debit, credit, reference],
      );
      if (inserted.rowCount !== 1) throw new Error('duplicate key');
      await run('lock', 'select id from plain.account where id in ($1, $2) order by id for no key update', [
        debit,
        credit,
      ]);
      for (const [account, amount] of [
        [debit, -1],
        [credit, 1],
      ]) {
        const text = 'update plain.account set balance = balance + $2 where id = $1 returning balance';
        const { rows } = await run('update', text, [account, amount]);
        await run(
          'entry',
          'insert into plain.entry (account_id, transfer_id, amount, balance) values ($1, $2, $3, $4)',
          [account, inserted.rows[0]?.id, amount, rows[0]?.balance],
        );
      }
      await client.query('commit');
    } catch (error) {
      await client.query('rollback');
      throw error;
    } finally {
      client.release();
    }
  }

  close(): Promise<void> {
    return this.#pool.end();
  }
}
