import { strict as assert } from 'node:assert';
import fastify from 'fastify';
import pg from 'pg';
import type { Ledger } from '../../src/ledger/index.ts';
import { gameModule } from '../../src/modules/game/index.ts';
import {
  type Award,
  type ConditionTerms,
  type MemberRef,
  sameInAll,
  type IncentiveModule,
  incentiveModule,
} from '../../src/modules/incentive/index.ts';
import { transferModule } from '../../src/modules/transfer/index.ts';
import { assertWalletOpen } from '../../src/modules/account/index.ts';
import { hasOpenWithdrawal } from '../../src/modules/withdraw/queries.ts';
import { type Clock, systemClock } from '../../src/platform/time.ts';
import { createSecretBox } from '../../src/platform/crypto/secret-box.ts';
import { gameProviders } from '../../src/adapters/game/index.ts';
import { eventually, misbehave, play } from '../harness/games.ts';
import type { Gamer } from '../harness/gamers.ts';
import { baht, ledgerOf } from '../harness/money.ts';
import type { System } from '../harness/system.ts';

type Books = Pick<System, 'database' | 'databaseUrl' | 'outside'>;
export type Door = { incentive: IncentiveModule; ledger: Ledger; close(): Promise<void> };

/** The door of a system in the test's own process: the same modules on the same database and the same outside. */
export async function openDoor(system: Books, clock: Clock = systemClock): Promise<Door> {
  const { database, outside } = system;
  const ledger = ledgerOf(system);
  const providers = gameProviders(outside.games, undefined, clock);
  const log = { warn: () => {}, error: () => {} };
  const access = {
    // Registers calls that can't be made: it never listens.
    app: fastify(),
    database,
    ledger,
    clock,
    providers,
    secretBox: createSecretBox(Buffer.alloc(32, 7)),
    publicUrl: outside.publicUrl,
    account: { assertWalletOpen: (memberId: string) => assertWalletOpen(database, memberId) },
  };
  const game = await gameModule({ ...access, variant: 'th' });
  const transfer = transferModule({ ...access, game, log });
  const incentive = incentiveModule({
    database,
    ledger,
    clock,
    game,
    transfer,
    log,
  });
  incentive.registerWithdrawals(hasOpenWithdrawal);
  return { incentive, ledger, close: () => ledger.close() };
}

/** A bonus of so much on a deposit of so much: met at three times, lost at a tenth. */
export const bonusOf = (amount: string, own: string, more: Partial<ConditionTerms> = {}): Award => ({
  kind: 'BONUS',
  source: `bonus:${own}:${amount}`,
  name: sameInAll('Welcome'),
  amount: baht(amount),
  condition: {
    own: baht(own),
    percentSuccess: 300,
    percentFail: 10,
    turnoverTimes: null,
    expiresAt: null,
    ...more,
  },
});

export const holderOf = ({ id }: Pick<Gamer, 'id'>): MemberRef => ({ id, currency: 'BAHT' });

/** Gives without looking. */
export const give = ({ incentive }: Pick<Door, 'incentive'>, member: Pick<Gamer, 'id'>, award: Award) =>
  incentive.grant(holderOf(member), async () => award);

/** What the newest condition of a member is like. */
export async function conditionOf(
  { database }: Pick<System, 'database'>,
  { id }: Pick<Gamer, 'id'>,
): Promise<{ state: string; isTold: boolean } | undefined> {
  const { rows } = await database.query<{ state: string; isTold: boolean }>(
    `select c.state, c.is_told as "isTold" from incentive_condition c join incentive_grant g on g.id = c.id
      where c.member_id = $1 order by g.created_at desc, g.id desc limit 1`,
    [id],
  );
  return rows[0];
}

export const reaches = (system: Pick<System, 'database'>, member: Pick<Gamer, 'id'>, state: string): Promise<unknown> =>
  eventually(
    `condition ${state}`,
    () => conditionOf(system, member),
    (found) => found?.state === state,
  );

/** Costs of grants less what was taken back, over all members. */
export async function costs({ database }: Pick<System, 'database'>, memberId: string): Promise<string> {
  const { rows } = await database.query<{ sum: bigint }>(
    `select coalesce(sum(e.amount), 0)::bigint as sum
       from ledger.account a join ledger.entry e on e.account_id = a.id
       join ledger.operation o on o.id = e.operation_id and o.kind in ('bonus', 'finish_bonus')
      where a.member_id = $1`,
    [memberId],
  );
  const sum = rows[0]?.sum ?? 0n;
  return `${sum / 100n}.${String(sum % 100n).padStart(2, '0')}`;
}

/** How many lines of the ledger have this kind, for a member. */
export async function linesOf(
  { ledger }: Pick<Door, 'ledger'>,
  { id }: Pick<Gamer, 'id'>,
  kind: string,
): Promise<string[]> {
  const { lines } = await ledger.statement(id, { page: 1, limit: 100 });
  return lines.filter((line) => line.kind === kind).map(({ amount }) => String(amount));
}

/** One settled round at a game, in baht of the member. */
export async function playAt(
  system: System,
  member: Gamer,
  code: 'pg' | 'askmebet',
  stake: string,
  win: string,
): Promise<void> {
  const slot = code === 'pg' ? 1n : 10n;
  const credits = (amount: string): string => {
    const units = baht(amount) * slot;
    return `${units / 100n}.${String(units % 100n).padStart(2, '0')}`;
  };
  await play(system, code, member[code], credits(stake), credits(win));
}

/** The provider answers no balances until its faults are cleared. */
export const silence = (system: System, code: 'pg' | 'askmebet'): Promise<void> =>
  misbehave(system, code, { fault: 'error-500', call: code === 'pg' ? 'GetPlayerWallet' : 'credit', times: 100 });

/** Waits until a statement waits for a lock. Queried outside of transactions: inside one this never changes. */
export const somebodyWaits = ({ databaseUrl }: Pick<System, 'databaseUrl'>): Promise<unknown> =>
  eventually(
    'a statement that waits for a lock',
    async () => {
      const looker = new pg.Client({ connectionString: databaseUrl });
      await looker.connect();
      const { rows } = await looker.query<{ waiting: number }>(
        `select count(*)::int as waiting from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`,
      );
      await looker.end();
      return rows[0]?.waiting ?? 0;
    },
    (waiting) => waiting > 0,
  );

export async function assertAudits({ ledger }: Pick<Door, 'ledger'>): Promise<void> {
  for (const { name, violations } of await ledger.audit()) assert.equal(violations, 0, name);
}
