import type { Queryable, Tx } from '../../platform/database/database.ts';
import { DAY_MS, later } from '../../platform/time.ts';

/** A phone and the network from which it was proved or registered, as returned by `networkPrefix`. */
export type PhoneNetwork = { phone: string; network: string };

/** As long as the sessions whose networks are known. */
const KNOWN_NETWORK_DAYS = 30;

export const networkCutoff = (now: Date): Date => later(now, -KNOWN_NETWORK_DAYS * DAY_MS);

export async function isKnownNetwork(on: Queryable, { phone, network }: PhoneNetwork, since: Date): Promise<boolean> {
  const { rowCount } = await on.query(
    'select from otp_phone_network where phone = $1 and network = $2::cidr and known_at > $3',
    [phone, network, since],
    { name: 'phone-network-known' },
  );
  return rowCount > 0;
}

export async function rememberNetwork(tx: Tx, { phone, network }: PhoneNetwork, now: Date): Promise<void> {
  await tx.query(
    `insert into otp_phone_network (phone, network, known_at) values ($1, $2::cidr, $3)
     on conflict (phone, network) do update set known_at = excluded.known_at`,
    [phone, network, now],
    { name: 'phone-network-remember' },
  );
}

export async function deleteNetworksBefore(on: Queryable, cutoff: Date): Promise<void> {
  await on.query('delete from otp_phone_network where known_at < $1', [cutoff], { name: 'phone-network-sweep' });
}
