import type { Queryable } from '../../../platform/database/database.ts';

/** What our books know of a transfer that a statement tells of. `ledger`: it is written there, for a member or in suspense. */
export type KnownArrival = { sendingBank: string; transRef: string; known: 'ledger' | 'gateway' | 'working' };

/** Every transfer that we know to have come to an account of ours, for comparing with the account's statement. */
export async function selectKnown(on: Queryable, house: string): Promise<KnownArrival[]> {
  const { rows } = await on.query<KnownArrival>(
    `select sending_bank as "sendingBank", trans_ref as "transRef",
            case when state = 'GATEWAY' then 'gateway'
                 when booked_at is not null or state = 'CREDITED' then 'ledger' else 'working' end as known
       from arrival where house = $1`,
    [house],
  );
  return rows;
}

/** What waits in suspense by the rows, in minor units. */
export async function sumInSuspense(on: Queryable): Promise<{ currency: string; amount: bigint }[]> {
  const { rows } = await on.query<{ currency: string; amount: bigint }>(
    `select currency, sum(amount)::bigint as amount from arrival
      where booked_at is not null and state <> 'CREDITED' group by currency`,
  );
  return rows;
}
