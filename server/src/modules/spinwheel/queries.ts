import { seedTransitions } from '@krapao/contract/states';
import { type UnseenCash, unseenCashSql } from '../../ledger/index.ts';
import { type SnapshotField, snapshotField } from '../../platform/database/batched-reads.ts';
import { sqlState, type Queryable, type Tx } from '../../platform/database/database.ts';
import { nextCursor, type PageRequest } from '../../platform/database/paging.ts';
import { Unavailable } from '../../platform/errors.ts';
import { statesBefore } from '../../platform/state-machine.ts';
import type { Coupon, Purse, Seed, Spin } from './spinwheel.ts';

/** Another transaction locks the member's purse for too long. Nothing was done. */
export class PurseBusy extends Unavailable {
  override readonly name = 'PurseBusy';
}

const PURSE_COLUMNS = 'coins, deposits_seen as seen, paid_in as "paidIn", owed';
/** SQL that limits lock waits of the transaction. Used within the statement that may wait. */
const SET_LOCK_TIMEOUT_SQL = `set_config('lock_timeout', '3s', true)`;
const LOCK_NOT_AVAILABLE_SQLSTATE = '55P03';

/**
 * Locks the member's purse until the transaction ends, and creates a missing purse.
 * @throws {PurseBusy}
 */
export async function lockPurse(tx: Tx, memberId: string): Promise<Purse> {
  try {
    const purse = await selectPurseForUpdate(tx, memberId);
    if (purse) return purse;
    await tx.query(
      `insert into spinwheel_purse (member_id) select $1::uuid from (select ${SET_LOCK_TIMEOUT_SQL}) wait on conflict do nothing`,
      [memberId],
    );
    const createdPurse = await selectPurseForUpdate(tx, memberId);
    if (!createdPurse) throw new Error(`the purse of ${memberId} is gone`);
    return createdPurse;
  } catch (error) {
    throw asPurseBusy(error);
  }
}

const asPurseBusy = (error: unknown): unknown =>
  sqlState(error) === LOCK_NOT_AVAILABLE_SQLSTATE
    ? new PurseBusy('the purse is locked by another transaction', { retryAfterSeconds: 1, cause: error })
    : error;

async function selectPurseForUpdate(tx: Tx, memberId: string): Promise<Purse | undefined> {
  const { rows } = await tx.query<Purse>(
    `select ${PURSE_COLUMNS} from ${SET_LOCK_TIMEOUT_SQL} wait cross join spinwheel_purse p where member_id = $1 for update of p`,
    [memberId],
  );
  return rows[0];
}

/** A member's purse. `ahead`: wallet entries that the purse has not processed; null for a member without a wallet. */
export type PurseWithUnseenEntries = { coins: number; seen: bigint; ahead: { upTo: bigint; isAny: boolean } | null };

type PurseJson = { coins: number; seen: string; ahead: UnseenCash | null };

export const unseenPurse: SnapshotField<PurseWithUnseenEntries> = snapshotField(
  `select json_build_object('coins', p.coins, 'seen', p.seen::text, 'ahead', ${unseenCashSql('p.seen')})
     from (select coalesce(max(coins), 0) as coins, coalesce(max(deposits_seen), 0) as seen
             from spinwheel_purse where member_id = asked.member_id) p`,
  ({ coins, seen, ahead }: PurseJson) => ({
    coins,
    seen: BigInt(seen),
    ahead: ahead && { upTo: BigInt(ahead.upTo), isAny: ahead.isAny },
  }),
);

/**
 * Marks entries without deposits and payouts as seen, unless another transaction has done so or locks the purse.
 * Creates a missing purse: otherwise all entries would be read again each time.
 */
export async function advancePurse(on: Queryable, memberId: string, seen: bigint, upTo: bigint): Promise<void> {
  const { rowCount } = await on.query(
    `update spinwheel_purse set deposits_seen = $3 where member_id = (
       select member_id from spinwheel_purse where member_id = $1 and deposits_seen = $2 for no key update skip locked)`,
    [memberId, seen, upTo],
  );
  if (rowCount > 0 || seen > 0n) return;
  await on.query('insert into spinwheel_purse (member_id, deposits_seen) values ($1, $2) on conflict do nothing', [
    memberId,
    upTo,
  ]);
}

export async function selectPurse(on: Queryable, memberId: string): Promise<Purse> {
  const { rows } = await on.query<Purse>(
    `select ${PURSE_COLUMNS} from spinwheel_purse where member_id = $1`,
    [memberId],
    {
      name: 'coin-purse',
    },
  );
  return rows[0] ?? { coins: 0, seen: 0n, paidIn: 0n, owed: 0n };
}

/**
 * Adds or removes coins of a locked purse, once per source.
 * @returns the coins afterwards
 * @throws the database error for fewer than 0 coins, or for a repeated source
 */
export async function moveCoins(tx: Tx, memberId: string, source: string, coins: number): Promise<number> {
  const { rows } = await tx.query<{ coins: number }>(
    `with purse as (update spinwheel_purse set coins = coins + $3 where member_id = $1 returning coins)
     insert into spinwheel_coin_movement (member_id, source, coins, coins_after)
     select $1, $2, $3, coalesce((select coins from purse), 0) returning coins_after as coins`,
    [memberId, source, coins],
  );
  return rows[0]?.coins ?? 0;
}

/** Coins earned by a deposit, and the balance afterwards. */
export type CoinCredit = { source: string; coins: number; coinsAfter: number };

/** Saves a locked purse and the coins of its deposits, in two statements for any number of deposits. */
export async function savePurse(
  tx: Tx,
  memberId: string,
  purse: Purse,
  coinCredits: readonly CoinCredit[],
): Promise<void> {
  await tx.query(
    'update spinwheel_purse set coins = $2, deposits_seen = $3, paid_in = $4, owed = $5 where member_id = $1',
    [memberId, purse.coins, purse.seen, purse.paidIn, purse.owed],
  );
  if (coinCredits.length === 0) return;
  await tx.query(
    `insert into spinwheel_coin_movement (member_id, source, coins, coins_after)
     select $1, b.source, b.coins, b.coins_after
       from unnest($2::text[], $3::int[], $4::int[]) with ordinality as b (source, coins, coins_after, place) order by b.place`,
    [
      memberId,
      coinCredits.map(({ source }) => source),
      coinCredits.map(({ coins }) => coins),
      coinCredits.map(({ coinsAfter }) => coinsAfter),
    ],
  );
}

const SEED_COLUMNS = `id, commitment, sealed_seed as "sealedSeed", client_seed as "clientSeed", nonce`;

/** The member's seeds that are not revealed yet. */
export async function selectSeeds(on: Queryable, memberId: string): Promise<{ current?: Seed; next?: Seed }> {
  const { rows } = await on.query<Seed & { state: 'CURRENT' | 'NEXT' }>(
    `select state, ${SEED_COLUMNS} from spinwheel_seed where member_id = $1 and state <> 'REVEALED'`,
    [memberId],
  );
  const seedInState = (seedState: 'CURRENT' | 'NEXT'): Seed | undefined => {
    const seedRow = rows.find(({ state }) => state === seedState);
    if (!seedRow) return undefined;
    const { state: _, ...seed } = seedRow;
    return seed;
  };
  const [current, next] = [seedInState('CURRENT'), seedInState('NEXT')];
  return { ...(current && { current }), ...(next && { next }) };
}

type SeedJson = Omit<Seed, 'sealedSeed'> & { state: 'CURRENT' | 'NEXT'; sealedSeed: string };

/** The member's seeds that are not revealed yet, as a snapshot field. */
export const seedsField: SnapshotField<{ current: Seed | undefined; next: Seed | undefined }> = snapshotField(
  `select json_agg(json_build_object('state', d.state, 'id', d.id, 'commitment', d.commitment,
     'sealedSeed', encode(d.sealed_seed, 'base64'), 'clientSeed', d.client_seed, 'nonce', d.nonce))
   from spinwheel_seed d where d.member_id = asked.member_id and d.state <> 'REVEALED'`,
  (seeds: SeedJson[] | null) => {
    const seedInState = (seedState: 'CURRENT' | 'NEXT'): Seed | undefined => {
      const seedRow = seeds?.find(({ state }) => state === seedState);
      if (!seedRow) return undefined;
      const { state: _, sealedSeed, ...seed } = seedRow;
      return { ...seed, sealedSeed: Buffer.from(sealedSeed, 'base64') };
    };
    return { current: seedInState('CURRENT'), next: seedInState('NEXT') };
  },
);

/** Any sealed seed. */
export async function findSealedSeed(on: Queryable): Promise<Seed | undefined> {
  const { rows } = await on.query<Seed>(
    `select ${SEED_COLUMNS} from spinwheel_seed where sealed_seed is not null limit 1`,
  );
  return rows[0];
}

export async function insertSeed(
  tx: Tx,
  seed: Omit<Seed, 'nonce'> & { memberId: string; state: 'CURRENT' | 'NEXT' },
): Promise<void> {
  await tx.query(
    `insert into spinwheel_seed (id, member_id, state, commitment, sealed_seed, client_seed) values ($1, $2, $3, $4, $5, $6)`,
    [seed.id, seed.memberId, seed.state, seed.commitment, seed.sealedSeed, seed.clientSeed],
  );
}

/** Stores the revealed seed. It is now public, and no further spin uses it. */
export async function revealSeed(tx: Tx, id: string, serverSeed: string): Promise<void> {
  await tx.query(
    `update spinwheel_seed set state = 'REVEALED', revealed_seed = $2, sealed_seed = null where id = $1 and state = any($3)`,
    [id, serverSeed, statesBefore(seedTransitions, 'REVEALED')],
  );
}

export async function activateSeed(tx: Tx, id: string, clientSeed: string): Promise<void> {
  await tx.query(`update spinwheel_seed set state = 'CURRENT', client_seed = $2 where id = $1 and state = any($3)`, [
    id,
    clientSeed,
    statesBefore(seedTransitions, 'CURRENT'),
  ]);
}

const SPIN_COLUMNS = `id, nonce, version, slice, slice_code as "sliceCode", coins_after as "coinsAfter", created_at as "createdAt"`;

/** The member's spin with an idempotency key. */
export async function findSpinByKey(on: Queryable, memberId: string, key: string): Promise<Spin | undefined> {
  const { rows } = await on.query<Spin>(
    `select ${SPIN_COLUMNS} from spinwheel_spin where member_id = $1 and idempotency_key = $2`,
    [memberId, key],
  );
  return rows[0];
}

/** A drawn spin that is not stored yet, with the coupon for its prize. */
export type DrawnSpin = Omit<Spin, 'coinsAfter'> & {
  memberId: string;
  seedId: string;
  key: string | undefined;
  coupon: Pick<Coupon, 'kind' | 'amount' | 'expiresAt'> | undefined;
};

export type DrawOutcome =
  | { outcome: 'applied'; coinsAfter: number }
  | { outcome: 'replayed' | 'no_coin' | 'stale_read' };

/**
 * Takes the coin and inserts the spin and its coupon in one statement. `stale_read`: seed, nonce or wheel changed since
 * they were read; draw again.
 * @throws {PurseBusy}
 */
export async function insertSpin(on: Queryable, spin: DrawnSpin): Promise<DrawOutcome> {
  const { coupon } = spin;
  try {
    const { rows } = await on.query<DrawOutcome>(
      `select d.outcome, d.coins_after as "coinsAfter" from ${SET_LOCK_TIMEOUT_SQL} wait
        cross join lateral spinwheel_draw($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) d`,
      [
        spin.memberId,
        spin.key ?? null,
        spin.id,
        spin.seedId,
        spin.nonce,
        spin.version,
        spin.slice,
        spin.sliceCode,
        coupon?.kind ?? null,
        coupon?.amount ?? null,
        coupon?.expiresAt ?? null,
        spin.createdAt,
      ],
      { name: 'spinwheel-draw' },
    );
    const [row] = rows;
    if (!row) throw new Error('a spin has no outcome');
    return row;
  } catch (error) {
    throw asPurseBusy(error);
  }
}

export type PastSpin = Spin & { commitment: string; serverSeed: string | null; clientSeed: string };

/** A page of a member's spins, newest first, with revealed seeds, and the total number of spins. */
export async function selectSpins(
  on: Queryable,
  memberId: string,
  request: PageRequest,
): Promise<{ total: number; spins: PastSpin[]; next: string | undefined }> {
  const { page, limit, before = null } = request;
  const totalResult = await on.query<{ total: number }>(
    'select count(*)::int as total from spinwheel_spin where member_id = $1 and ($2::uuid is null or id < $2)',
    [memberId, before],
  );
  const { rows } = await on.query<PastSpin>(
    `select s.id, s.nonce, s.version, s.slice, s.slice_code as "sliceCode", s.coins_after as "coinsAfter",
            s.created_at as "createdAt", d.commitment, d.revealed_seed as "serverSeed", d.client_seed as "clientSeed"
       from spinwheel_spin s join spinwheel_seed d on d.id = s.seed_id
      where s.member_id = $1 and ($4::uuid is null or s.id < $4) order by s.id desc offset $2 limit $3`,
    [memberId, (page - 1) * limit, limit, before],
  );
  const total = totalResult.rows[0]?.total ?? 0;
  return { total, spins: rows, next: nextCursor(request, { total, last: rows.at(-1)?.id }) };
}

export type CoinMovement = { at: Date; source: string; coins: number; coinsAfter: number };

/** Changes of a purse, newest first. */
export async function selectMovements(on: Queryable, memberId: string): Promise<CoinMovement[]> {
  const { rows } = await on.query<CoinMovement>(
    `select created_at as at, source, coins, coins_after as "coinsAfter" from spinwheel_coin_movement
      where member_id = $1 order by id desc limit 100`,
    [memberId],
  );
  return rows;
}
