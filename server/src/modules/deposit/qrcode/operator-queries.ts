import type { Currency, Minor } from '@krapao/contract/money';
import type { Queryable, Tx } from '../../../platform/database/database.ts';
import { TAKEN_BACK } from './queries.ts';

/** Something that a gateway said and no rule can act on, with the code that it is about. */
export type ParkedPayment = {
  id: bigint;
  gateway: string;
  reference: string;
  reason: string;
  evidence: string;
  times: number;
  ageMs: number;
  /** Of the code; null when it was never ours. */
  state: string | null;
  memberId: string | null;
  currency: Currency | null;
  /** What was credited; else what the code asks. */
  amount: Minor | null;
};

/** What waits for an operator, oldest first. */
export async function selectParked(on: Queryable): Promise<ParkedPayment[]> {
  const { rows } = await on.query<ParkedPayment>(
    `select p.id, p.gateway, p.reference, p.reason, p.evidence, p.times, q.state, q.member_id as "memberId", q.currency,
            coalesce(q.paid_amount, q.pay_amount, q.amount) as amount,
            (extract(epoch from now() - p.first_at) * 1000)::float8 as "ageMs"
       from deposit_parked p left join qrcode q using (gateway, reference)
      where p.settled_at is null order by p.first_at, p.id limit 1000`,
  );
  return rows;
}

export type ParkedInHand = Pick<ParkedPayment, 'gateway' | 'reference' | 'reason'> & { isSettled: boolean };

/** A row of the list, locked until the transaction ends. @param id its number, as it was typed */
export async function lockParked(tx: Tx, id: string): Promise<ParkedInHand | undefined> {
  const { rows } = await tx.query<ParkedInHand>(
    `select gateway, reference, reason, settled_at is not null as "isSettled"
       from deposit_parked where id::text = $1 for no key update`,
    [id],
  );
  return rows[0];
}

export async function saveClosed(tx: Tx, id: string, by: string): Promise<void> {
  await tx.query('update deposit_parked set settled_at = now(), settled_by = $2 where id::text = $1', [id, by]);
}

/**
 * What was credited and is no longer at the gateway, in minor units, by the name that the ledger has for it. An operator who
 * takes it off the list doesn't bring it back; the gateway does, when it tells of the payment again.
 */
export async function sumTakenBack(on: Queryable): Promise<{ house: string; currency: string; amount: bigint }[]> {
  const { rows } = await on.query<{ house: string; currency: string; amount: bigint }>(
    `select 'gateway:' || lower(gateway) as house, currency, sum(paid_amount)::bigint as amount
       from qrcode q
      where state = 'PAID' and exists (
        select from deposit_parked p
         where p.gateway = q.gateway and p.reference = q.reference and p.reason = $1
           and (p.settled_at is null or p.settled_by is not null))
      group by 1, 2`,
    [TAKEN_BACK],
  );
  return rows;
}
