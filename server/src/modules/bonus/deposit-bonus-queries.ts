import type { Currency, Minor } from '@krapao/contract/money';
import { type DepositBonusState, depositBonusTransitions } from '@krapao/contract/states';
import type { Queryable } from '../../platform/database/database.ts';
import type { WorkTable } from '../../platform/jobs/failed-work.ts';
import { leaseSql } from '../../platform/jobs/leases.ts';
import { dueOfPartitionsSql, partitionParams } from '../../platform/jobs/partitions.ts';
import type { InProgress } from '../../platform/jobs/polling-worker.ts';
import type { QueueSource } from '../../platform/jobs/queues.ts';
import { statesBefore } from '../../platform/state-machine.ts';
import { type LocalizedText, sameInAllLanguages } from '../incentive/index.ts';

/** A chosen bonus whose deposit is credited. Rows are inserted by the commands in `0327-deposit-bonus.sql`. */
export type DepositBonus = {
  /** Key of the deposit's ledger operation. */
  creditKey: string;
  memberId: string;
  currency: Currency;
  code: string;
  /** Reference of the deposit. */
  deposit: string;
  /** The member's game providers, which the receipt queries. */
  providers: string;
  ageMs: number;
  /** End of the lease, by which an outcome is stored only once. */
  leasedTo: string;
};

/** Longer than the claim of a bonus, which queries the member's games. */
const LEASE_SECONDS = 60;

const DUE_SQL = dueOfPartitionsSql({
  table: 'deposit_bonus',
  key: 'credit_key',
  due: 'work_at',
  partition: 'w.providers',
  waiting: 'w.work_at is not null',
});

/** Claims due bonuses under a lease. @param share concurrent bonuses of members with accounts at the same providers */
export async function claimDueBonuses(on: Queryable, share: number, inProgress: InProgress): Promise<DepositBonus[]> {
  const { rows } = await on.query<DepositBonus>(
    `${DUE_SQL}
     update deposit_bonus set ${leaseSql('work_at', `now() + interval '${LEASE_SECONDS} s'`)}
      where credit_key in (select credit_key from due)
     returning credit_key as "creditKey", member_id as "memberId", currency, code, deposit, providers,
       (extract(epoch from now() - credited_at) * 1000)::float8 as "ageMs", leased_to::text as "leasedTo"`,
    partitionParams(share, inProgress),
    { name: 'deposit-bonus-claim' },
  );
  return rows;
}

/** DUE → RECEIVED. */
export async function markBonusReceived(on: Queryable, creditKey: string, amount: Minor): Promise<void> {
  await on.query(
    `update deposit_bonus set state = 'RECEIVED', amount = $2, ended_at = now(), work_at = null
      where credit_key = $1 and state = any($3)`,
    [creditKey, amount, statesBefore(depositBonusTransitions, 'RECEIVED')],
  );
}

/** DUE → REFUSED, unless another process has the lease by now: it may have received the bonus. */
export async function markBonusRefused(
  on: Queryable,
  { creditKey, leasedTo }: DepositBonus,
  { reason, detail }: { reason: string; detail: string | undefined },
): Promise<void> {
  await on.query(
    `update deposit_bonus set state = 'REFUSED', reason = $2, detail = $3, ended_at = now(), work_at = null
      where credit_key = $1 and state = any($4) and work_at = $5::timestamptz`,
    [creditKey, reason, detail ?? null, statesBefore(depositBonusTransitions, 'REFUSED'), leasedTo],
  );
}

/** Makes a bonus due again later, unless another process has the lease by now. */
export async function postponeBonus(
  on: Queryable,
  { creditKey, leasedTo }: DepositBonus,
  seconds: number,
): Promise<void> {
  await on.query(
    `update deposit_bonus set work_at = now() + $2 * interval '1 s'
      where credit_key = $1 and state = 'DUE' and work_at = $3::timestamptz`,
    [creditKey, seconds, leasedTo],
  );
}

/** The bonus or promotion that a member received on a deposit. */
export async function findReceiptOn(
  on: Queryable,
  memberId: string,
  depositOperation: bigint,
): Promise<{ code: string; amount: Minor } | undefined> {
  const { rows } = await on.query<{ code: string; amount: Minor }>(
    'select code, amount from bonus_receipt where member_id = $1 and deposit_operation = $2',
    [memberId, depositOperation],
    { name: 'bonus-receipt-on-deposit' },
  );
  return rows[0];
}

/** A chosen bonus as its deposit shows it; `state` null before the credit. */
export type ChosenBonus = {
  code: string;
  /** The code, if the offer was deleted. */
  name: LocalizedText;
  state: DepositBonusState | null;
  amount: Minor | null;
  reason: string | null;
  detail: string | null;
};

/**
 * The bonus chosen with a deposit, and its outcome.
 * @param deposits references of the deposit
 * @param code the chosen bonus; an outcome of one of the references has priority
 */
export async function findChosenBonus(
  on: Queryable,
  memberId: string,
  deposits: readonly string[],
  code: string,
): Promise<ChosenBonus | undefined> {
  const { rows } = await on.query<Omit<ChosenBonus, 'name'> & { name: LocalizedText | null }>(
    `select bonus.code, o.name, b.state, b.amount, b.reason, b.detail
       from (select $3::text as code) chosen
       left join (select * from deposit_bonus where deposit = any($2) and member_id = $1 order by credited_at limit 1) b on true
       cross join lateral (select coalesce(b.code, chosen.code) as code) bonus
       left join bonus_offer o on o.code = bonus.code`,
    [memberId, deposits, code],
    { name: 'deposit-bonus-shown' },
  );
  const [chosen] = rows;
  return chosen && { ...chosen, name: chosen.name ?? sameInAllLanguages(chosen.code) };
}

export const depositBonusWork: WorkTable = {
  table: 'deposit_bonus',
  key: 'credit_key',
  keyType: 'text',
  due: 'work_at',
  open: 'w.work_at is not null',
  label: 'w.deposit',
};

/** Bonuses chosen with a credited deposit that are overdue. */
export const depositBonusQueue = {
  queue: 'deposit bonus',
  work: [depositBonusWork],
  resolver: `select work_at from deposit_bonus where work_at < now()`,
  operatedBy: 'krapao offers (docs/runbooks/offers.md)',
} satisfies QueueSource;
