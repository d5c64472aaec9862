import { transferTransitions } from '@krapao/contract/states';
import type { Queryable, Tx } from '../../platform/database/database.ts';
import { assertTransition } from '../../settlement/transition.ts';
import type { Leg, Reversal, Transfer, Witness } from './transfer.ts';
import type { Credits } from '../../counterparties/game/port.ts';

const TRANSFER = `id, member_id as "memberId", currency, source, target, amount, reference, input_hash as "inputHash"`;
const LEG = `l.transfer_id as "transferId", l.leg, l.member_id as "memberId", t.currency, t.reference,
  l.game_code as "gameCode", l.ft_wallet_slot as "ftWalletSlot", l.direction, l.amount, l.credits, l.provider, l.username,
  l.provider_reference as "providerReference", l.state, l.proof, l.proof_by as "proofBy", l.proof_balance as "proofBalance",
  l.balance_before as "balanceBefore", l.turnover_before as "turnoverBefore", l.balance_seen as "balanceSeen", l.turnover_seen as "turnoverSeen", l.code, l.detail, l.absences, l.asks, l.is_silent as "isSilent",
  l.fence,
  (extract(epoch from clock_timestamp() - l.sent_at) * 1000)::float8 as "sentAgoMs"`;

/** False when the member has used the key before; then nothing is written. */
export async function insertTransfer(tx: Tx, transfer: Transfer, idempotencyKey: string): Promise<boolean> {
  const { rowCount } = await tx.query(
    `insert into transfer (id, member_id, currency, idempotency_key, input_hash, source, target, amount, reference)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
     on conflict on constraint transfer_once do nothing`,
    [
      transfer.id,
      transfer.memberId,
      transfer.currency,
      idempotencyKey,
      transfer.inputHash,
      transfer.source,
      transfer.target,
      transfer.amount,
      transfer.reference,
    ],
  );
  return rowCount > 0;
}

export async function findByKey(
  on: Queryable,
  memberId: string,
  idempotencyKey: string,
): Promise<Transfer | undefined> {
  const { rows } = await on.query<Transfer>(
    `select ${TRANSFER} from transfer where member_id = $1 and idempotency_key = $2`,
    [memberId, idempotencyKey],
  );
  return rows[0];
}

export type NewLeg = Pick<
  Leg,
  | 'transferId'
  | 'leg'
  | 'memberId'
  | 'gameCode'
  | 'ftWalletSlot'
  | 'direction'
  | 'amount'
  | 'credits'
  | 'provider'
  | 'username'
  | 'providerReference'
>;

/** Violates `transfer_leg_under_way` when another transfer of that game account isn't over. */
export async function insertLeg(tx: Tx, leg: NewLeg, leaseMs: number): Promise<Leg> {
  const { rows } = await tx.query<Leg>(
    `with l as (insert into transfer_leg (transfer_id, leg, member_id, game_code, ft_wallet_slot, direction, amount, credits,
       provider, username, provider_reference, leased_until)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, clock_timestamp() + $12 * interval '1 ms') returning *)
     select ${LEG} from l join transfer t on t.id = l.transfer_id`,
    [
      leg.transferId,
      leg.leg,
      leg.memberId,
      leg.gameCode,
      leg.ftWalletSlot,
      leg.direction,
      leg.amount,
      leg.credits,
      leg.provider,
      leg.username,
      leg.providerReference,
      leaseMs,
    ],
  );
  const [inserted] = rows;
  if (!inserted) throw new Error('a leg was not inserted');
  return inserted;
}

export async function selectLegs(on: Queryable, transferId: string): Promise<Leg[]> {
  const { rows } = await on.query<Leg>(
    `select ${LEG} from transfer_leg l join transfer t on t.id = l.transfer_id where l.transfer_id = $1 order by l.leg`,
    [transferId],
  );
  return rows;
}

const DUE = `(d.state in ('HELD', 'SENT', 'UNKNOWN') or (d.state = 'MANUAL' and (d.proof is not null or d.is_asked_again)))
  and d.next_ask_at <= clock_timestamp() and d.leased_until <= clock_timestamp()
  and (d.leg = 1 or not exists (
    select from transfer_leg f
     where f.transfer_id = d.transfer_id and f.leg = 1 and f.state not in ('DONE', 'REVERSED')))`;

/** Whose answer a leg waits for: its provider's, or nobody's. */
export const lineOf = ({ state, proof, provider }: Pick<Leg, 'state' | 'proof' | 'provider'>): string =>
  state === 'HELD' || proof !== null ? '' : provider;
const LINE = `case when d.state = 'HELD' or d.proof is not null then '' else d.provider end`;

/**
 * Takes legs that nobody is at work on and whose time has come. Each gets a new fence: whoever held it before is shut
 * out. The second leg of a transfer waits for the first.
 * @param places how many of a line (see {@link lineOf}) may be worked on at once, `taken` of them already: those of a
 *   provider that says nothing wait for each other, and for nobody else
 */
export async function claimDue(
  on: Queryable,
  limit: number,
  leaseMs: number,
  places: { ofEach: number; taken: ReadonlyMap<string, number> },
): Promise<Leg[]> {
  const { rows } = await on.query<Leg>(
    `with waiting as (
       select d.transfer_id, d.leg, ${LINE} as line,
              row_number() over (partition by ${LINE} order by d.next_ask_at) as place
         from transfer_leg d where ${DUE}),
     due as (
       select d.transfer_id, d.leg from waiting w join transfer_leg d using (transfer_id, leg)
        where w.place + coalesce(($3::jsonb ->> w.line)::int, 0) <= $4 and ${DUE}
        order by d.next_ask_at
        limit $1
          for no key update of d skip locked)
     update transfer_leg l
        set fence = l.fence + 1, asks = l.asks + 1, leased_until = clock_timestamp() + $2 * interval '1 ms'
       from due, transfer t
      where l.transfer_id = due.transfer_id and l.leg = due.leg and t.id = l.transfer_id
     returning ${LEG}`,
    [limit, leaseMs, JSON.stringify(Object.fromEntries(places.taken)), places.ofEach],
  );
  return rows;
}

// Every step below names the state it comes from and the fence: whoever was slow changes nothing, and is told so.
const MINE = 'transfer_id = $1 and leg = $2 and fence = $3 and state = $4';
const mine = ({ transferId, leg, fence, state }: Leg): unknown[] => [transferId, leg, fence, state];

/** HELD → SENT, right before the call goes out. */
export async function markSent(on: Queryable, leg: Leg, before: Witness | null, leaseMs: number): Promise<boolean> {
  assertTransition(transferTransitions, leg.state, 'SENT');
  const { rowCount } = await on.query(
    `update transfer_leg set state = 'SENT', sent_at = clock_timestamp(), balance_before = $5,
       turnover_before = $6, leased_until = clock_timestamp() + $7 * interval '1 ms'
     where ${MINE}`,
    [...mine(leg), before?.whole ?? null, before?.turnover ?? null, leaseMs],
  );
  return rowCount > 0;
}

/** Writes down what is proven, before the ledger follows: from then on the provider needn't be asked again. */
export async function saveProof(
  on: Queryable,
  leg: Leg,
  proof: { proof: 'APPLIED' | 'REFUSED'; balance: Credits | null; reversal: Reversal | null; by: string },
): Promise<boolean> {
  const { rowCount } = await on.query(
    `update transfer_leg set proof = $5, proof_by = $6, proof_balance = $7, code = $8, detail = $9
     where ${MINE} and proof is null`,
    [...mine(leg), proof.proof, proof.by, proof.balance, proof.reversal?.code ?? null, proof.reversal?.detail ?? null],
  );
  return rowCount > 0;
}

/** SENT → UNKNOWN; `keep` for the resolver that goes on with it at once. */
export async function markUnknown(tx: Tx, leg: Leg, note: string, keep: boolean): Promise<boolean> {
  assertTransition(transferTransitions, leg.state, 'UNKNOWN');
  const { rowCount } = await tx.query(
    `update transfer_leg set state = 'UNKNOWN', note = $5, next_ask_at = clock_timestamp(),
       leased_until = case when $6 then leased_until else clock_timestamp() end
     where ${MINE}`,
    [...mine(leg), note, keep],
  );
  return rowCount > 0;
}

type Postponed = {
  absent: boolean;
  isSilent: boolean;
  note: string;
  seen: Witness | null;
  pauseMs: number;
  probeMs: number;
};

// Nothing seen leaves what was seen before.
const SEEN = `balance_seen = coalesce($5, balance_seen), turnover_seen = case when $5 is null then turnover_seen else $6 end`;
const columnsOf = (seen: Witness | null): unknown[] => [seen?.whole ?? null, seen?.turnover ?? null];

/**
 * The provider still hasn't told: the next question comes after a pause. Of those whom it left without an answer one is
 * asked about again after `probeMs` at most, see {@link bringForward}.
 */
export async function postpone(
  on: Queryable,
  leg: Leg,
  { absent, isSilent, note, seen, pauseMs, probeMs }: Postponed,
): Promise<void> {
  await on.query(
    `update transfer_leg set ${SEEN}, absences = absences + $7, note = $8, is_silent = $9, leased_until = clock_timestamp(),
       next_ask_at = clock_timestamp() + interval '1 ms' * case
         when $9 and not exists (
           select from transfer_leg other
            where other.provider = $10 and other.is_silent and other.state = 'UNKNOWN' and other.proof is null
              and other.next_ask_at between clock_timestamp() and clock_timestamp() + $12 * interval '1 ms')
         then least($11, $12) else $11 end
     where ${MINE}`,
    [...mine(leg), ...columnsOf(seen), absent ? 1 : 0, note, isSilent, leg.provider, pauseMs, probeMs],
  );
}

/** A provider that was silent has answered: all that wait for it are due now. @returns whether there are any */
export async function bringForward(on: Queryable, provider: string): Promise<boolean> {
  const { rowCount } = await on.query(
    `with waiting as (
       select transfer_id, leg from transfer_leg
        where provider = $1 and is_silent and state = 'UNKNOWN' and proof is null and next_ask_at > clock_timestamp()
        order by transfer_id, leg
          for no key update skip locked)
     update transfer_leg l set next_ask_at = clock_timestamp(), is_silent = false
       from waiting w where l.transfer_id = w.transfer_id and l.leg = w.leg`,
    [provider],
  );
  return rowCount > 0;
}

/** UNKNOWN → MANUAL, and one that is MANUAL stays so. The hold stays until an operator writes down a proof. */
export async function markManual(
  on: Queryable,
  leg: Leg,
  { note, seen }: { note: string; seen: Witness | null },
): Promise<boolean> {
  if (leg.state !== 'MANUAL') assertTransition(transferTransitions, leg.state, 'MANUAL');
  const { rowCount } = await on.query(
    `update transfer_leg set ${SEEN}, state = 'MANUAL', note = $7, is_asked_again = false,
       leased_until = clock_timestamp()
     where ${MINE}`,
    [...mine(leg), ...columnsOf(seen), note],
  );
  return rowCount > 0;
}

/** The last step. Undefined when another process has taken it. */
export async function markFinished(
  tx: Tx,
  leg: Leg,
  to: 'DONE' | 'REVERSED',
  reversal: Reversal | null,
): Promise<Leg | undefined> {
  assertTransition(transferTransitions, leg.state, to);
  const { rows } = await tx.query<Pick<Leg, 'state' | 'code' | 'detail'>>(
    `update transfer_leg set state = $5, finished_at = clock_timestamp(), code = coalesce(code, $6),
       detail = coalesce(detail, $7)
     where ${MINE} returning state, code, detail`,
    [...mine(leg), to, reversal?.code ?? null, reversal?.detail ?? null],
  );
  return rows[0] && { ...leg, ...rows[0] };
}

/** The second leg of a transfer, if it has one that is still to be done; locked until the transaction ends. */
export async function lockSecondLeg(tx: Tx, transferId: string): Promise<Leg | undefined> {
  const { rows } = await tx.query<Leg>(
    `select ${LEG} from transfer_leg l join transfer t on t.id = l.transfer_id
      where l.transfer_id = $1 and l.leg = 2 and l.state = 'HELD' for no key update of l`,
    [transferId],
  );
  return rows[0];
}

/** Keeps a leg for its holder a while longer. */
export async function renewLease(on: Queryable, leg: Leg, leaseMs: number): Promise<void> {
  await on.query(`update transfer_leg set leased_until = clock_timestamp() + $5 * interval '1 ms' where ${MINE}`, [
    ...mine(leg),
    leaseMs,
  ]);
}

/** Whether any leg of the member may still move money by itself. */
export async function hasUnderWay(on: Queryable, memberId: string): Promise<boolean> {
  const { rowCount } = await on.query(
    `select from transfer_leg where member_id = $1 and state in ('HELD', 'SENT', 'UNKNOWN') limit 1`,
    [memberId],
  );
  return rowCount > 0;
}

/** How many legs wait for an answer, and for an operator. */
export async function countOpen(on: Queryable): Promise<{ unknown: number; manual: number }> {
  const { rows } = await on.query<{ unknown: number; manual: number }>(
    `select count(*) filter (where state = 'UNKNOWN')::int as unknown, count(*) filter (where state = 'MANUAL')::int as manual
       from transfer_leg where state in ('UNKNOWN', 'MANUAL')`,
  );
  return rows[0] ?? { unknown: 0, manual: 0 };
}
