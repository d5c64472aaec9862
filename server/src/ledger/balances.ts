import { type Currency, type Minor, minor, ZERO } from '@krapao/contract/money';
import { type SnapshotField, snapshotField } from '../platform/database/batched-reads.ts';
import type { Queryable } from '../platform/database/database.ts';
import { hideFromPlanner } from '../platform/database/statements.ts';
import { keyHash } from './codec.ts';
import type { OperationProgress } from './events.ts';
import type { Balance, MemberAccount } from './types.ts';

export type AccountBalance = Balance & {
  kind: MemberAccount['kind'];
  currency: Currency;
  /** Available balance: posted − held. */
  free: Minor;
};

type BalanceRow = { kind: MemberAccount['kind']; currency: Currency; posted: bigint; held: bigint };

/** A member's ledger accounts that have entries, by kind; empty for a member without entries. */
export async function memberBalances(on: Queryable, memberId: string): Promise<AccountBalance[]> {
  const { rows } = await on.query<BalanceRow>(
    'select kind, currency, posted, held from ledger.account where member_id = $1 order by kind, currency',
    [memberId],
    { name: 'ledger-member-balances' },
  );
  return rows.map(({ kind, currency, posted, held }) => ({
    kind,
    currency,
    posted: minor(posted),
    held: minor(held),
    free: minor(posted - held),
  }));
}

/** Whether no member has posted or held money in accounts of a kind. */
export async function isKindUnused(on: Queryable, kind: MemberAccount['kind']): Promise<boolean> {
  const { rows } = await on.query<{ isUnused: boolean }>(
    `select not exists (select from ledger.account where kind = $1 and (posted <> 0 or held <> 0)) as "isUnused"`,
    [kind],
  );
  return rows[0]?.isUnused ?? false;
}

/** Number of members with posted or held money, by kind of account; kinds without any are omitted. */
export async function countHolders(
  on: Queryable,
  kinds: readonly MemberAccount['kind'][],
): Promise<ReadonlyMap<string, number>> {
  const { rows } = await on.query<{ kind: string; count: number }>(
    `select kind, count(distinct member_id)::int as count from ledger.account
      where kind = any($1) and (posted <> 0 or held <> 0) group by kind`,
    [kinds],
  );
  return new Map(rows.map(({ kind, count }) => [kind, count]));
}

/** A member's ledger accounts. `lastEvent`: id of the newest operation on any of them; 0 without operations. */
export type MemberAccounts = { balances: AccountBalance[]; lastEvent: bigint };

type AccountJson = [kind: MemberAccount['kind'], currency: Currency, posted: string, held: string, last: string | null];

/** `seq` in the SQL is the sequence number of the account's newest entry. */
export const memberAccounts: SnapshotField<MemberAccounts> = snapshotField(
  `select json_agg(json_build_array(a.kind, a.currency, a.posted::text, a.held::text, e.operation_id::text))
     from ledger.account a left join ledger.entry e on e.account_id = a.id and e.seq = a.seq
    where a.member_id = asked.member_id::text`,
  (accounts: AccountJson[] | null) => {
    let lastEvent = 0n;
    const balances = (accounts ?? []).map(([kind, currency, ...amounts]) => {
      const [posted, held, lastOperation] = amounts.map((amount) => BigInt(amount ?? 0)) as [bigint, bigint, bigint];
      if (lastOperation > lastEvent) lastEvent = lastOperation;
      return { kind, currency, posted: minor(posted), held: minor(held), free: minor(posted - held) };
    });
    return { balances, lastEvent };
  },
);

export async function selectHouseAccountBalances(
  on: Queryable,
): Promise<{ account: string; currency: string; posted: bigint }[]> {
  const { rows } = await on.query<{ account: string; currency: string; posted: bigint }>(
    `select kind as account, currency, sum(posted)::bigint as posted from ledger.account where member_id = ''
      group by kind, currency`,
  );
  return rows;
}

/**
 * Balance of a house account: the sum of its stripes. Negative if the house account owes money, for example a
 * gateway's.
 */
export async function houseAccountBalance(on: Queryable, houseAccount: string, currency: Currency): Promise<Minor> {
  const { rows } = await on.query<{ posted: bigint }>(
    "select coalesce(sum(posted), 0)::bigint as posted from ledger.account where member_id = '' and kind = $1 and currency = $2",
    [houseAccount, currency],
  );
  return minor(rows[0]?.posted ?? 0n);
}

/**
 * Total moved between two kinds of accounts, for all members since the first operation. A hold counts once it is
 * posted.
 */
export type AccountFlow = {
  /** Kind of operation: deposit, withdraw, transfer, play … */
  kind: string;
  currency: Currency;
  /** `WALLET`, `GAME:pg`, or the name of a house account. */
  debit: string;
  credit: string;
  amount: bigint;
};

/** Sums of all operations by pair of accounts. Reads every operation: for nightly jobs and tests. */
export async function accountFlows(on: Queryable): Promise<AccountFlow[]> {
  const { rows } = await on.query<AccountFlow>(
    `select o.kind, d.currency, d.kind as debit, c.kind as credit, sum(o.amount)::bigint as amount
       from ledger.operation o
       join ledger.account d on d.id = o.debit
       join ledger.account c on c.id = o.credit
      where o.state = 'applied' and o.type in ('transfer', 'post', 'adjust')
      group by 1, 2, 3, 4`,
  );
  return rows;
}

/** A deposit into the wallet, or a withdrawal from it. */
export type CashEntry = {
  /** Sequence number of the wallet entry. Readers store it and continue after it. */
  seq: bigint;
  operationId: bigint;
  kind: 'deposit' | 'withdraw';
  state: OperationProgress;
  /** Positive: the deposited amount, or the amount requested for payout. */
  amount: Minor;
  at: Date;
};

const WALLET_ID_SQL = `(select id from ledger.account where member_id = $1 and kind = 'WALLET' order by seq desc limit 1)`;

type CashEntryJson = Omit<CashEntry, 'seq' | 'operationId' | 'amount' | 'at'> &
  Record<'seq' | 'operationId' | 'amount' | 'at', string>;

/**
 * Deposits and withdrawals of the wallet since a time, newest first, as a field of a member snapshot.
 * @param since SQL expression of the time
 * @param limit maximum number of entries
 */
export const cashSinceField = (since: string, limit: number): SnapshotField<CashEntry[]> =>
  snapshotField(
    `select json_agg(json_build_object('seq', l.seq::text, 'operationId', l.id::text, 'kind', l.kind, 'amount', l.amount::text,
       'at', l.at, 'state', l.state) order by l.seq desc)
     from (select e.seq, o.id, o.kind, o.amount, e.at,
             case o.state when 'pending' then 'PROCESSING' when 'voided' then 'FAILED' else 'SUCCESS' end as state
             from (select id from ledger.account where member_id = asked.member_id::text and kind = 'WALLET' order by seq desc limit 1) w
             join ledger.entry e on e.account_id = w.id and e.seq > ledger.seq_before(w.id, ${since})
             join ledger.operation o on o.id = e.operation_id
            where o.kind in ('deposit', 'withdraw') and (o.pending is null or o.debit <> e.account_id)
            order by e.seq desc limit ${limit}) l`,
    (entries: CashEntryJson[] | null) =>
      (entries ?? []).map(({ seq, operationId, amount, at, ...entry }) => ({
        ...entry,
        seq: BigInt(seq),
        operationId: BigInt(operationId),
        amount: minor(BigInt(amount)),
        at: new Date(at),
      })),
  );

/** Deposited (+) or paid-out (−) amount of one wallet entry. */
export type CashFlow = { seq: bigint; operationId: bigint; amount: Minor; at: Date };

/** Deposits and payouts after a wallet entry, oldest first; at most `limit`. `seq` 0 starts at the first entry. */
export async function cashAfter(on: Queryable, memberId: string, seq: bigint, limit: number): Promise<CashFlow[]> {
  const { rows } = await on.query<{ seq: bigint; operationId: bigint; amount: bigint; at: Date }>(
    `select e.seq, o.id as "operationId", e.amount, e.at
       from ledger.entry e
       join ledger.operation o on o.id = e.operation_id
      where e.account_id = ${WALLET_ID_SQL} and e.seq > ${hideFromPlanner('$2::bigint')} and o.kind in ('deposit', 'withdraw') and e.amount <> 0
      order by e.seq limit ${hideFromPlanner('$3::bigint')}`,
    [memberId, seq, limit],
    { name: 'ledger-cash-after' },
  );
  return rows.map((row) => ({ ...row, amount: minor(row.amount) }));
}

/**
 * Result of `unseenCashSql`. `upTo`: the wallet's newest entry. `isAny`: a deposit or payout follows the given entry.
 */
export type UnseenCash = { upTo: string; isAny: boolean };

/**
 * SQL of a member snapshot field; null for a member without a wallet.
 * @param seq SQL of the last processed entry
 */
export const unseenCashSql = (seq: string): string =>
  `(select json_build_object('upTo', a.seq::text, 'isAny', exists (
      select from ledger.entry e join ledger.operation o on o.id = e.operation_id
       where e.account_id = a.id and e.seq > ${seq} and o.kind in ('deposit', 'withdraw') and e.amount <> 0))
     from ledger.account a where a.member_id = asked.member_id::text and a.kind = 'WALLET' order by a.seq desc limit 1)`;

/** Sums that entered (+) and left (−) the wallet in a period, by kind of operation. Held money has not left. */
export async function walletSums(
  on: Queryable,
  memberId: string,
  { from, until }: { from: Date; until: Date },
): Promise<ReadonlyMap<string, Minor>> {
  const { rows } = await on.query<{ kind: string; sum: bigint }>(
    `select o.kind, sum(e.amount)::bigint as sum
       from ledger.entry e
       join ledger.operation o on o.id = e.operation_id
      where e.account_id = ${WALLET_ID_SQL} and e.seq > ledger.seq_before(${WALLET_ID_SQL}, $2) and e.seq <= ledger.seq_before(${WALLET_ID_SQL}, $3)
      group by o.kind`,
    [memberId, from, until],
  );
  return new Map(rows.map(({ kind, sum }) => [kind, minor(sum)]));
}

/** Sequence number of the last entry read, by kind of ledger account. */
export type ReadPositions = Readonly<Record<string, bigint>>;

/** Results of play, won (+) and lost (−). `fresh`: share from entries that were not read before. */
export type PlayResult = { since: Minor; fresh: Minor };
export type PlayRead = {
  /** Keyed by the operation key after which play is counted. */
  plays: ReadonlyMap<string, PlayResult>;
  /** Read positions after this read. */
  readPositions: ReadPositions;
};

/**
 * Results of play after each of the given operations, over all games of a member.
 * @param keys operation keys; the result is 0 for a key that was not posted
 * @param read positions of entries that are already read
 */
export async function playSince(
  on: Queryable,
  memberId: string,
  { keys, read }: { keys: readonly string[]; read: ReadPositions },
): Promise<PlayRead> {
  const { rows } = await on.query<{ place: number; kind: string; seq: bigint; since: bigint; fresh: bigint }>(
    `select s.place::int as place, a.kind, a.seq, coalesce(sum(p.amount), 0)::bigint as since,
            coalesce(sum(p.amount) filter (where p.seq > coalesce(r.seq, 0)), 0)::bigint as fresh
       from ledger.account a
       cross join (select k.place, o.id from unnest(${hideFromPlanner('$2::uuid[]')}) with ordinality as k (key, place)
                     join ledger.operation o on o.idempotency_key = k.key) as s
       left join unnest(${hideFromPlanner('$3::text[]')}, ${hideFromPlanner('$4::bigint[]')}) as r (kind, seq) on r.kind = a.kind
       left join lateral (
         select e.seq, e.amount from ledger.entry e join ledger.operation o on o.id = e.operation_id and o.kind = 'play'
          where e.account_id = a.id and e.seq > ledger.seq_until(a.id, s.id) and e.seq <= a.seq) p on true
      where a.member_id = $1 and a.kind <> 'WALLET' and a.seq > 0
      group by 1, 2, 3`,
    [memberId, keys.map(keyHash), Object.keys(read), Object.values(read)],
    { name: 'ledger-play-since' },
  );
  const plays = new Map(keys.map((key): [string, PlayResult] => [key, { since: ZERO, fresh: ZERO }]));
  for (const { place, since, fresh } of rows) {
    const key = keys[place - 1] ?? '';
    const play = plays.get(key);
    if (play) plays.set(key, { since: minor(play.since + since), fresh: minor(play.fresh + fresh) });
  }
  return { plays, readPositions: { ...read, ...Object.fromEntries(rows.map(({ kind, seq }) => [kind, seq])) } };
}

/** Results of play in a period, won (+) and lost (−), over all games of a member. */
export async function playBetween(
  on: Queryable,
  memberId: string,
  { from, until }: { from: Date; until: Date },
): Promise<Minor> {
  const { rows } = await on.query<{ sum: bigint }>(
    `select coalesce(sum(e.amount), 0)::bigint as sum
       from ledger.account a
       join ledger.entry e on e.account_id = a.id and e.seq > ledger.seq_before(a.id, $2) and e.seq <= ledger.seq_before(a.id, $3)
       join ledger.operation o on o.id = e.operation_id and o.kind = 'play'
      where a.member_id = $1 and a.kind <> 'WALLET'`,
    [memberId, from, until],
  );
  return minor(rows[0]?.sum ?? 0n);
}

/** Amount that a member has lost in one game, up to a ledger entry. */
export type GameLosses = {
  memberId: string;
  kind: string;
  /** Sequence number of the last entry included. */
  seq: bigint;
  /** Losses minus winnings; negative if winnings exceed losses. */
  losses: Minor;
};

/** Members' play losses per game after the given read positions; from the first entry without a position. */
export async function lossesAfter(
  on: Queryable,
  memberIds: readonly string[],
  readPositions: readonly Pick<GameLosses, 'memberId' | 'kind' | 'seq'>[],
): Promise<GameLosses[]> {
  const { rows } = await on.query<GameLosses & { losses: bigint }>(
    `select a.member_id as "memberId", a.kind, max(e.seq) as seq,
            coalesce(sum(-e.amount) filter (where o.kind = 'play'), 0)::bigint as losses
       from ledger.account a
       left join unnest($2::text[], $3::text[], $4::bigint[]) as r (member_id, kind, seq)
         on r.member_id = a.member_id and r.kind = a.kind
       join ledger.entry e on e.account_id = a.id and e.seq > coalesce(r.seq, 0)
       join ledger.operation o on o.id = e.operation_id
      where a.member_id = any($1) and a.kind <> 'WALLET'
      group by a.member_id, a.kind`,
    [
      memberIds,
      readPositions.map(({ memberId }) => memberId),
      readPositions.map(({ kind }) => kind),
      readPositions.map(({ seq }) => seq),
    ],
  );
  return rows.map((row) => ({ ...row, losses: minor(row.losses) }));
}

/** Returns the members who have ever deposited money. */
export async function depositorsAmong(on: Queryable, memberIds: readonly string[]): Promise<string[]> {
  const { rows } = await on.query<{ memberId: string }>(
    `select a.member_id as "memberId" from ledger.account a
      where a.member_id = any($1) and a.kind = 'WALLET' and exists (
        select from ledger.entry e join ledger.operation o on o.id = e.operation_id
         where e.account_id = a.id and o.kind = 'deposit' and e.amount > 0)`,
    [memberIds],
  );
  return rows.map(({ memberId }) => memberId);
}
