import { strict as assert } from 'node:assert';
import fastify from 'fastify';
import pg from 'pg';
import { gameProviders } from '../../src/adapters/game/index.ts';
import type { Ledger } from '../../src/ledger/index.ts';
import { assertWalletOpen } from '../../src/modules/account/index.ts';
import { gameModule } from '../../src/modules/game/index.ts';
import {
  type Award,
  type ConditionTerms,
  type MemberRef,
  sameInAllLanguages,
  type IncentiveModule,
  incentiveModule,
} from '../../src/modules/incentive/index.ts';
import { transferModule } from '../../src/modules/transfer/index.ts';
import { hasOpenWithdrawal } from '../../src/modules/withdraw/queries.ts';
import type { Outside } from '../../src/outside-config.ts';
import { createSecretBox } from '../../src/platform/crypto/secret-box.ts';
import { type Clock, systemClock } from '../../src/platform/time.ts';
import { waitUntilResult, failProvider, playRound } from '../harness/games.ts';
import type { GamingMember } from '../harness/gaming-member.ts';
import { parseBaht, createTestLedger } from '../harness/money.ts';
import type { System } from '../harness/system.ts';

type DatabaseAccess = Pick<System, 'database' | 'databaseUrl'> & { outside: Outside };
export type IncentiveNode = { incentive: IncentiveModule; ledger: Ledger; close(): Promise<void> };

/** The door of a system in the test's own process: the same modules on the same database and the same outside. */
export async function openIncentiveNode(system: DatabaseAccess, clock: Clock = systemClock): Promise<IncentiveNode> {
  const { database, outside } = system;
  const ledger = createTestLedger(system);
  const providers = gameProviders(outside.games, undefined, clock);
  const log = { warn: () => {}, error: () => {} };
  const accessModule = {
    // Registers routes on an app that never listens.
    app: fastify(),
    database,
    ledger,
    clock,
    providers,
    secretBox: createSecretBox(Buffer.alloc(32, 7)),
    publicUrl: outside.publicUrl,
    account: { assertWalletOpen: (memberId: string) => assertWalletOpen(database, memberId) },
  };
  const game = await gameModule({
    ...accessModule,
    variant: 'th',
    readOperatorData: async () => ({ gameProviders: {} }),
  });
  const transfer = transferModule({ ...accessModule, game, log });
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

/** A bonus of `amount` on a deposit of `ownAmount`: met at three times, lost at a tenth. */
export const bonusAward = (amount: string, ownAmount: string, overrides: Partial<ConditionTerms> = {}): Award => ({
  kind: 'BONUS',
  source: `bonus:${ownAmount}:${amount}`,
  name: sameInAllLanguages('Welcome'),
  amount: parseBaht(amount),
  condition: {
    own: parseBaht(ownAmount),
    percentSuccess: 300,
    percentFail: 10,
    turnoverTimes: null,
    expiresAt: null,
    ...overrides,
  },
});

export const memberRefOf = ({ id }: Pick<GamingMember, 'id'>): MemberRef => ({ id, currency: 'BAHT' });

/** Grants an award without checking eligibility. */
export const grantAward = (
  { incentive }: Pick<IncentiveNode, 'incentive'>,
  member: Pick<GamingMember, 'id'>,
  award: Award,
) => incentive.grant(memberRefOf(member), async () => award);

/** The newest condition of a member. */
export async function readCondition(
  { database }: Pick<System, 'database'>,
  { id }: Pick<GamingMember, 'id'>,
): Promise<{ state: string; isTold: boolean } | undefined> {
  const { rows } = await database.query<{ state: string; isTold: boolean }>(
    `select c.state, c.is_told as "isTold" from incentive_condition c join incentive_grant g on g.id = c.id
      where c.member_id = $1 order by g.created_at desc, g.id desc limit 1`,
    [id],
  );
  return rows[0];
}

export const waitForConditionState = (
  system: Pick<System, 'database'>,
  member: Pick<GamingMember, 'id'>,
  state: string,
): Promise<unknown> =>
  waitUntilResult(
    `condition ${state}`,
    () => readCondition(system, member),
    (result) => result?.state === state,
  );

/** Cost of a member's grants less the amounts taken back. */
export async function readIncentiveCost({ database }: Pick<System, 'database'>, memberId: string): Promise<string> {
  const { rows } = await database.query<{ sum: bigint }>(
    `select coalesce(sum(e.amount), 0)::bigint as sum
       from ledger.account a join ledger.entry e on e.account_id = a.id
       join ledger.operation o on o.id = e.operation_id and o.kind in ('bonus', 'finish_bonus')
      where a.member_id = $1`,
    [memberId],
  );
  const totalSatang = rows[0]?.sum ?? 0n;
  return `${totalSatang / 100n}.${String(totalSatang % 100n).padStart(2, '0')}`;
}

/** Amounts of a member's ledger operations of this kind. */
export async function readOperationAmounts(
  { ledger }: Pick<IncentiveNode, 'ledger'>,
  { id }: Pick<GamingMember, 'id'>,
  operationKind: string,
): Promise<string[]> {
  const { lines } = await ledger.statement(id, { page: 1, limit: 100 });
  return lines.filter((statementLine) => statementLine.kind === operationKind).map(({ amount }) => String(amount));
}

/** Plays one settled round, in the member's baht. */
export async function playRoundAt(
  system: System,
  member: GamingMember,
  code: 'pg' | 'askmebet',
  stake: string,
  win: string,
): Promise<void> {
  const slot = code === 'pg' ? 1n : 10n;
  const toCredits = (amount: string): string => {
    const units = parseBaht(amount) * slot;
    return `${units / 100n}.${String(units % 100n).padStart(2, '0')}`;
  };
  await playRound(system, code, member[code], toCredits(stake), toCredits(win));
}

/** The provider answers no balances until its faults are cleared. */
export const silenceProvider = (system: System, code: 'pg' | 'askmebet'): Promise<void> =>
  failProvider(system, code, {
    fault: 'error-500',
    call: code === 'pg' ? 'GetPlayerWallet' : 'credit',
    times: 100,
  });

/** Waits until a statement waits for a lock. Queried outside of transactions: inside one the result never changes. */
export const waitForLockWait = ({ databaseUrl }: Pick<System, 'databaseUrl'>): Promise<unknown> =>
  waitUntilResult(
    'a statement that waits for a lock',
    async () => {
      const observerClient = new pg.Client({ connectionString: databaseUrl });
      await observerClient.connect();
      const { rows } = await observerClient.query<{ waiting: number }>(
        `select count(*)::int as waiting from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`,
      );
      await observerClient.end();
      return rows[0]?.waiting ?? 0;
    },
    (waitingCount) => waitingCount > 0,
  );

export async function assertAuditPasses({ ledger }: Pick<IncentiveNode, 'ledger'>): Promise<void> {
  for (const { name, violations } of await ledger.audit()) assert.equal(violations, 0, name);
}
