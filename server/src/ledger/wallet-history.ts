import { type Minor, minor, ZERO } from '@krapao/contract/money';
import type { Queryable } from '../platform/database/database.ts';
import type { Progress } from './event.ts';
import { keyHash } from './fingerprint.ts';
import { type SnapshotPart, snapshotPart } from '../platform/database/member-snapshot.ts';
import { opaque } from '../platform/database/opaque.ts';

/** A deposit into the wallet, or a withdrawal from it. */
export type CashLine = {
  /** Grows with every entry of this wallet: everything up to it has been read and need not be read again. */
  seq: bigint;
  operationId: bigint;
  kind: 'deposit' | 'withdraw';
  state: Progress;
  /** More than 0: the amount deposited, or requested to be paid out. */
  amount: Minor;
  at: Date;
};

const WALLET = `(select id from ledger.account where member_id = $1 and kind = 'WALLET' order by seq desc limit 1)`;

type CashLineJson = Omit<CashLine, 'seq' | 'operationId' | 'amount' | 'at'> &
  Record<'seq' | 'operationId' | 'amount' | 'at', string>;

/**
 * Deposits and withdrawals of the wallet since a time, newest first, as a field of a member snapshot.
 * @param since SQL expression of the time
 * @param limit maximum number of lines
 */
export const cashSinceField = (since: string, limit: number): SnapshotPart<CashLine[]> =>
  snapshotPart(
    `select json_agg(json_build_object('seq', l.seq::text, 'operationId', l.id::text, 'kind', l.kind, 'amount', l.amount::text,
       'at', l.at, 'state', l.state) order by l.seq desc)
     from (select e.seq, o.id, o.kind, o.amount, e.at,
             case o.state when 'pending' then 'PROCESSING' when 'voided' then 'FAILED' else 'SUCCESS' end as state
             from (select id from ledger.account where member_id = asked.member_id::text and kind = 'WALLET' order by seq desc limit 1) w
             join ledger.entry e on e.account_id = w.id and e.seq > ledger.seq_before(w.id, ${since})
             join ledger.operation o on o.id = e.operation_id
            where o.kind in ('deposit', 'withdraw') and (o.pending is null or o.debit <> e.account_id)
            order by e.seq desc limit ${limit}) l`,
    (lines: CashLineJson[] | null) =>
      (lines ?? []).map(({ seq, operationId, amount, at, ...line }) => ({
        ...line,
        seq: BigInt(seq),
        operationId: BigInt(operationId),
        amount: minor(BigInt(amount)),
        at: new Date(at),
      })),
  );

/** Money deposited (+) or paid out (−). */
export type CashMove = { seq: bigint; operationId: bigint; amount: Minor; at: Date };

/** Deposits and payouts after an entry of the wallet (0: from the first), oldest first; at most `limit`. */
export async function cashAfter(on: Queryable, memberId: string, seq: bigint, limit: number): Promise<CashMove[]> {
  const { rows } = await on.query<{ seq: bigint; operationId: bigint; amount: bigint; at: Date }>(
    `select e.seq, o.id as "operationId", e.amount, e.at
       from ledger.entry e
       join ledger.operation o on o.id = e.operation_id
      where e.account_id = ${WALLET} and e.seq > ${opaque('$2::bigint')} and o.kind in ('deposit', 'withdraw') and e.amount <> 0
      order by e.seq limit ${opaque('$3::bigint')}`,
    [memberId, seq, limit],
    { name: 'ledger-cash-after' },
  );
  return rows.map((row) => ({ ...row, amount: minor(row.amount) }));
}

/**
 * Result of `cashAheadSql`: the wallet's newest entry, and whether any entry after the given one is a deposit or
 * payout.
 */
export type CashAhead = { upTo: string; isAny: boolean };

/**
 * SQL of a part of the member snapshot, null for a member without a wallet. @param seq SQL of the entry up to which
 * everything is known
 */
export const cashAheadSql = (seq: string): string =>
  `(select json_build_object('upTo', a.seq::text, 'isAny', exists (
      select from ledger.entry e join ledger.operation o on o.id = e.operation_id
       where e.account_id = a.id and e.seq > ${seq} and o.kind in ('deposit', 'withdraw') and e.amount <> 0))
     from ledger.account a where a.member_id = asked.member_id::text and a.kind = 'WALLET' order by a.seq desc limit 1)`;

/** Money that entered (+) and left (−) the wallet in a period, by kind of movement. Held money has not left. */
export async function walletSums(
  on: Queryable,
  memberId: string,
  { from, until }: { from: Date; until: Date },
): Promise<ReadonlyMap<string, Minor>> {
  const { rows } = await on.query<{ kind: string; sum: bigint }>(
    `select o.kind, sum(e.amount)::bigint as sum
       from ledger.entry e
       join ledger.operation o on o.id = e.operation_id
      where e.account_id = ${WALLET} and e.seq > ledger.seq_before(${WALLET}, $2) and e.seq <= ledger.seq_before(${WALLET}, $3)
      group by o.kind`,
    [memberId, from, until],
  );
  return new Map(rows.map(({ kind, sum }) => [kind, minor(sum)]));
}

/** The last entry read, by kind of ledger account. */
export type ReadEntries = Readonly<Record<string, bigint>>;

/** Results of play, won (+) and lost (−). `fresh`: in entries that were not read before. */
export type Play = { since: Minor; fresh: Minor };
export type PlayRead = {
  /** By the key of the operation that the play follows. */
  plays: ReadonlyMap<string, Play>;
  /** The entries read now, if any. */
  read: ReadEntries;
};

/**
 * Play after each of some operations, over all games of a member.
 * @param keys of the operations; play of one that was not posted is 0
 * @param read entries already read
 */
export async function playSince(
  on: Queryable,
  memberId: string,
  { keys, read }: { keys: readonly string[]; read: ReadEntries },
): Promise<PlayRead> {
  const { rows } = await on.query<{ place: number; kind: string; seq: bigint; since: bigint; fresh: bigint }>(
    `select s.place::int as place, a.kind, a.seq, coalesce(sum(p.amount), 0)::bigint as since,
            coalesce(sum(p.amount) filter (where p.seq > coalesce(r.seq, 0)), 0)::bigint as fresh
       from ledger.account a
       cross join (select k.place, o.id from unnest(${opaque('$2::uuid[]')}) with ordinality as k (key, place)
                     join ledger.operation o on o.idempotency_key = k.key) as s
       left join unnest(${opaque('$3::text[]')}, ${opaque('$4::bigint[]')}) as r (kind, seq) on r.kind = a.kind
       left join lateral (
         select e.seq, e.amount from ledger.entry e join ledger.operation o on o.id = e.operation_id and o.kind = 'play'
          where e.account_id = a.id and e.seq > ledger.seq_until(a.id, s.id) and e.seq <= a.seq) p on true
      where a.member_id = $1 and a.kind <> 'WALLET' and a.seq > 0
      group by 1, 2, 3`,
    [memberId, keys.map(keyHash), Object.keys(read), Object.values(read)],
    { name: 'ledger-play-since' },
  );
  const plays = new Map(keys.map((key): [string, Play] => [key, { since: ZERO, fresh: ZERO }]));
  for (const { place, since, fresh } of rows) {
    const key = keys[place - 1] ?? '';
    const known = plays.get(key);
    if (known) plays.set(key, { since: minor(known.since + since), fresh: minor(known.fresh + fresh) });
  }
  return { plays, read: { ...read, ...Object.fromEntries(rows.map(({ kind, seq }) => [kind, seq])) } };
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

/** What a member has lost in one game, up to an entry of its ledger account. */
export type Losses = {
  memberId: string;
  kind: string;
  /** The last entry included. */
  seq: bigint;
  /** Losses minus winnings; below 0 when winnings are higher. */
  losses: Minor;
};

/** What members lost by play since the last read entry (since the first where none was read), per game. */
export async function lossesAfter(
  on: Queryable,
  memberIds: readonly string[],
  read: readonly Pick<Losses, 'memberId' | 'kind' | 'seq'>[],
): Promise<Losses[]> {
  const { rows } = await on.query<Losses & { losses: bigint }>(
    `select a.member_id as "memberId", a.kind, max(e.seq) as seq,
            coalesce(sum(-e.amount) filter (where o.kind = 'play'), 0)::bigint as losses
       from ledger.account a
       left join unnest($2::text[], $3::text[], $4::bigint[]) as r (member_id, kind, seq)
         on r.member_id = a.member_id and r.kind = a.kind
       join ledger.entry e on e.account_id = a.id and e.seq > coalesce(r.seq, 0)
       join ledger.operation o on o.id = e.operation_id
      where a.member_id = any($1) and a.kind <> 'WALLET'
      group by a.member_id, a.kind`,
    [memberIds, read.map(({ memberId }) => memberId), read.map(({ kind }) => kind), read.map(({ seq }) => seq)],
  );
  return rows.map((row) => ({ ...row, losses: minor(row.losses) }));
}

/** Which of the given members have ever deposited money. */
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
