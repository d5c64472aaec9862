import type { Currency, Minor } from '@krapao/contract/money';
import type { ArrivalState, AnnouncementState } from '@krapao/contract/states';
import { type SnapshotField, snapshotField } from '../../../platform/database/batched-reads.ts';
import type { Queryable } from '../../../platform/database/database.ts';
import { type PendingEntry, wireAmount } from '../../../platform/timeline.ts';
import type { TransferIdentity } from './bank-transfer.ts';

type PendingRow = {
  reference: string;
  houseAccount: string | null;
  amount: string;
  payAmount: string;
  since: string;
  expiresAt: string;
};

/** The member's announcements whose time has not passed. */
export const pendingAnnouncements: SnapshotField<PendingEntry[]> = snapshotField(
  `select json_agg(json_build_object('reference', n.reference, 'houseAccount', n.house_account, 'amount', n.amount::text,
            'payAmount', n.pay_amount::text, 'since', n.created_at, 'expiresAt', n.expires_at))
     from deposit_announcement n
    where n.member_id = asked.member_id and n.state = 'OPEN' and n.expires_at > now()`,
  (rows: PendingRow[] | null) =>
    (rows ?? []).map(({ reference, houseAccount, amount, payAmount, since, expiresAt }) => ({
      key: reference,
      kind: 'notice',
      state: 'OPEN',
      amount: wireAmount(amount),
      payAmount: wireAmount(payAmount),
      place: houseAccount,
      since: new Date(since).toISOString(),
      expiresAt: new Date(expiresAt).toISOString(),
      target: null,
      expectation: { until: new Date(expiresAt) },
    })),
);

/** An announcement with the transfer that it was matched with. */
export type AnnouncedTransfer = {
  reference: string;
  houseAccount: string | null;
  currency: Currency;
  amount: Minor;
  payAmount: Minor;
  state: AnnouncementState;
  createdAt: Date;
  expiresAt: Date;
  endedAt: Date | null;
  bonusCode: string | null;
  /** Identity of the member's own transfer. */
  transfer: TransferIdentity | null;
};

const ANNOUNCED = `n.reference, n.house_account as "houseAccount", n.currency, n.amount, n.pay_amount as "payAmount", n.state,
  n.created_at as "createdAt", n.expires_at as "expiresAt", n.ended_at as "endedAt",
  n.bonus_code as "bonusCode",
  case when a.member_id = n.member_id
       then json_build_object('sendingBank', a.sending_bank, 'transRef', a.trans_ref) end as transfer`;

/** The member's announcement of this reference. */
export async function findAnnounced(
  on: Queryable,
  memberId: string,
  reference: string,
): Promise<AnnouncedTransfer | undefined> {
  const { rows } = await on.query<AnnouncedTransfer>(
    `select ${ANNOUNCED} from deposit_announcement n left join deposit_arrival a on a.id = n.arrival_id
      where n.reference = $1 and n.member_id = $2`,
    [reference, memberId],
    { name: 'announcement-timeline' },
  );
  return rows[0];
}

/** A transfer that was assigned to the member. */
export type AssignedTransfer = TransferIdentity & {
  houseAccount: string;
  currency: Currency;
  amount: Minor;
  senderAccount: string;
  /** Null for a number of no known bank. */
  senderBank: string | null;
  state: ArrivalState;
  sentAt: Date;
  seenAt: Date;
  creditedAt: Date | null;
  /** The member's announcement that it was matched with. */
  announced: string | null;
};

/**
 * Transfers of the member with this bank reference, which is unique only within its sending bank. The index of the
 * member's transfers finds them.
 */
export async function selectAssigned(on: Queryable, memberId: string, transRef: string): Promise<AssignedTransfer[]> {
  const { rows } = await on.query<AssignedTransfer>(
    `select a.sending_bank as "sendingBank", a.trans_ref as "transRef", a.house_account as "houseAccount", a.currency, a.amount,
            a.sender_account as "senderAccount",
            (select b.code from operator_data_bank b where b.number = a.sending_bank order by b.code limit 1) as "senderBank",
            a.state, a.sent_at as "sentAt", a.seen_at as "seenAt",
            a.credited_at as "creditedAt",
            (select n.reference from deposit_announcement n
              where n.member_id = a.member_id and n.arrival_id = a.id and n.state = 'MATCHED'
              order by n.created_at desc limit 1) as announced
       from deposit_arrival a where a.member_id = $1 and a.trans_ref = $2`,
    [memberId, transRef],
    { name: 'arrival-timeline' },
  );
  return rows;
}
