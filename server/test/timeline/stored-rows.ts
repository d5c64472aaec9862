import { randomUUID } from 'node:crypto';
import type * as states from '@krapao/contract/states';
import { newReference } from '../../src/platform/ids.ts';
import type { System } from '../harness/system.ts';

/** What a member sees of a row: its state in the pending list, its status, and the names of its steps. */
export type Seen = {
  isPending: boolean;
  status: 'SUCCESS' | 'FAILED' | 'PROCESSING';
  reason: string | null;
  steps: string[];
};

const OPEN_CODE: Seen = {
  isPending: true,
  status: 'PROCESSING',
  reason: null,
  steps: ['created', '(paid)', '(credited)'],
};
const failed = (reason: string | null, ...steps: string[]): Seen => ({
  isPending: false,
  status: 'FAILED',
  reason,
  steps,
});
const success = (...steps: string[]): Seen => ({ isPending: false, status: 'SUCCESS', reason: null, steps });
const pending = (...steps: string[]): Seen => ({ isPending: true, status: 'PROCESSING', reason: null, steps });

/** What a member sees of each state. A new state without a row here does not compile, and fails the test. */
export const SEEN = {
  qrcode: {
    CREATING: OPEN_CODE,
    PENDING: OPEN_CODE,
    PAID: success('created', 'paid', 'credited'),
    CANCELLED: failed('CANCELLED', 'created', 'cancelled'),
    EXPIRED: failed('EXPIRED', 'created', 'expired'),
    FAILED: failed('QR_FAIL', 'created', 'refused'),
  },
  announcement: {
    OPEN: pending('announced', '(transferred)', '(credited)'),
    MATCHED: success('transferred', 'seen', 'announced', 'credited'),
    EXPIRED: failed('EXPIRED', 'announced', 'expired'),
    THIRD_PARTY: failed('THIRD_PARTY', 'announced', 'thirdParty'),
  },
  slip: {
    RECEIVED: pending('uploaded', '(transferred)', '(credited)'),
    READ: pending('transferred', 'uploaded', '(credited)'),
    MANUAL: pending('uploaded', '(transferred)', '(credited)'),
    CREDITED: success('transferred', 'uploaded', 'credited'),
    FAILED: failed('NOT_MATCH', 'uploaded', 'refused'),
  },
  gift: {
    NEW: pending('received', '(redeemed)', '(credited)'),
    REDEEMING: pending('received', 'redeemed', '(credited)'),
    UNKNOWN: pending('received', 'redeemed', '(credited)'),
    MANUAL: pending('received', 'redeemed', '(credited)'),
    CREDITED: success('received', 'redeemed', 'credited'),
    FAILED: failed('TRUELINK_INVALID', 'received', 'refused'),
  },
  withdraw: {
    HELD: pending('requested', '(sent)', '(paidOut)'),
    SENT: pending('requested', 'sent', '(paidOut)'),
    ACCEPTED: pending('requested', 'sent', '(paidOut)'),
    UNKNOWN: pending('requested', 'sent', '(paidOut)'),
    MANUAL: pending('requested', 'sent', '(paidOut)'),
    PAID: success('requested', 'sent', 'paidOut'),
    FAILED: failed('NAME_MISMATCH', 'requested', 'sent', 'refused', 'returned'),
  },
  transfer: {
    // The second leg of a transfer whose first is in flight.
    QUEUED: pending('requested', 'leftGame', '(inWallet)', '(leftWallet)', '(inGame)'),
    SENT: pending('requested', 'leftWallet', '(inGame)'),
    UNKNOWN: pending('requested', 'leftWallet', '(inGame)'),
    MANUAL: pending('requested', 'leftWallet', '(inGame)'),
    DONE: success('requested', 'leftWallet', 'inGame'),
    REVERSED: failed('TRANSFER_FAIL', 'requested', 'leftWallet', 'refused', 'returned'),
  },
  grant: {
    OPEN: { isPending: false, status: 'PROCESSING', reason: null, steps: ['granted', '(credited)'] },
    PAID: success('granted', 'credited'),
  },
} satisfies {
  qrcode: Record<states.QrcodeState, Seen>;
  announcement: Record<states.AnnouncementState, Seen>;
  slip: Record<states.SlipState, Seen>;
  gift: Record<states.GiftState, Seen>;
  withdraw: Record<states.WithdrawState, Seen>;
  transfer: Record<states.TransferState, Seen>;
  grant: Record<states.GrantState, Seen>;
};
export type Table = keyof typeof SEEN;

/** Tables of `states.ts` that are no money of their own, and why. */
export const NO_MONEY: Readonly<Record<string, string>> = {
  arrivalTransitions: 'seen through the announcement, the slip or the statement row',
  conditionTransitions: 'ends within the timeline of its grant',
  depositBonusTransitions: 'shown with its deposit',
  couponTransitions: 'becomes a grant when it is claimed',
  gameAccountTransitions: 'a login',
  seedTransitions: 'a seed',
  otpTransitions: 'a one-time code',
  configTransitions: 'operator data',
  exportTransitions: 'a file',
};

type Stored = { reference: string; clear: () => Promise<void> };
type Books = Pick<System, 'database'>;
const AGO = (minutes: number): string => `now() - interval '${minutes} minutes'`;
const LATER = `now() + interval '1 hour'`;

/** Stores a row in a state, with what its constraints require; nothing of it is due for a worker. */
export async function store({ database }: Books, table: Table, state: string, memberId: string): Promise<Stored> {
  const reference = newReference(15);
  const id = randomUUID();
  if (table === 'transfer') return storeTransfer({ database }, state, memberId);
  const columns: Record<string, string> = { ...COLUMNS[table](state), id: text(id), member_id: text(memberId) };
  columns.reference = text(reference);
  const arrival = table === 'announcement' && ['MATCHED', 'THIRD_PARTY'].includes(state);
  if (arrival) {
    await storeArrival({ database }, id, state === 'MATCHED' ? memberId : null);
    columns.arrival_id = text(id);
  }
  await database.query(
    `insert into ${NAMES[table]} (${Object.keys(columns).join(', ')}) values (${Object.values(columns).join(', ')})`,
  );
  const clear = async (): Promise<void> => {
    await database.query(`delete from ${NAMES[table]} where id = $1`, [id]);
    if (arrival) await database.query('delete from deposit_arrival where id = $1', [id]);
  };
  return { reference, clear };
}

const NAMES: Record<Table, string> = {
  qrcode: 'qrcode',
  announcement: 'deposit_announcement',
  slip: 'slip',
  gift: 'truelink_gift',
  withdraw: 'withdraw',
  transfer: 'transfer',
  grant: 'incentive_grant',
};

const ENDED = AGO(1);
const text = (value: string): string => `'${value}'`;

const COLUMNS: Record<Table, (state: string) => Record<string, string>> = {
  qrcode: (state) => ({
    gateway: `'KBANK'`,
    currency: `'BAHT'`,
    amount: '50000',
    state: text(state),
    created_at: AGO(3),
    ended_at: ['CREATING', 'PENDING'].includes(state) ? 'null' : ENDED,
    ...(['CREATING', 'FAILED'].includes(state)
      ? {}
      : { pay_amount: '50037', payload: `'000201'`, expires_at: ['PENDING', 'PAID'].includes(state) ? LATER : ENDED }),
    ...(state === 'PAID'
      ? {
          paid_amount: '50037',
          paid_at: AGO(2),
          transaction_number: text(newReference(15)),
          payer: `'{"bankCode": "SCB", "accountNo": "1234567890", "name": "SOMJAI"}'`,
        }
      : {}),
  }),
  announcement: (state) => ({
    house_account: `'bank:SCB-4680001234'`,
    currency: `'BAHT'`,
    amount: '30000',
    pay_amount: '30011',
    state: text(state),
    created_at: AGO(3),
    expires_at: LATER,
    release_at: `now() + interval '2 hours'`,
    ended_at: state === 'OPEN' ? 'null' : ENDED,
  }),
  slip: (state) => ({
    currency: `'BAHT'`,
    state: text(state),
    reason: state === 'MANUAL' ? `'SEVERAL'` : state === 'FAILED' ? `'NOT_MATCH'` : 'null',
    created_at: AGO(3),
    ended_at: ['CREDITED', 'FAILED'].includes(state) ? ENDED : 'null',
    work_at: 'null',
    ...(['READ', 'CREDITED'].includes(state)
      ? { sending_bank: `'014'`, trans_ref: text(newReference(20)), amount: '20000', paid_at: AGO(5) }
      : {}),
  }),
  gift: (state) => ({
    hash_sha256: `sha256('${newReference(20)}')`,
    sealed_hash: `'x'`,
    receiver: `'0812345678'`,
    state: text(state),
    code: state === 'FAILED' ? `'TRUELINK_INVALID'` : 'null',
    amount: state === 'CREDITED' ? '10000' : 'null',
    created_at: AGO(3),
    redeemed_at: ['NEW', 'FAILED'].includes(state) ? 'null' : AGO(2),
    ended_at: ['CREDITED', 'FAILED'].includes(state) ? ENDED : 'null',
  }),
  withdraw: (state) => ({
    currency: `'BAHT'`,
    idempotency_key: text(newReference(20)),
    input_hash: `'x'`,
    is_all: 'false',
    amount: '100000',
    bank_code: `'SCB'`,
    account_no: `'1234567890'`,
    account_name: `'SOMJAI DEEMAK'`,
    paid_from: `'SCB-4680001234'`,
    state: text(state),
    is_held: 'true',
    created_at: AGO(3),
    next_inquiry_at: LATER,
    leased_until: LATER,
    first_sent_at: state === 'HELD' ? 'null' : AGO(2),
    sent_at: state === 'HELD' ? 'null' : AGO(2),
    ...(['PAID', 'FAILED'].includes(state)
      ? { proof: text(state), proof_by: `'resolver'`, finished_at: ENDED, trans_ref: `'BANK-1'` }
      : {}),
    reason: state === 'FAILED' ? `'NAME_MISMATCH'` : 'null',
  }),
  transfer: () => ({}),
  grant: (state) => ({
    currency: `'BAHT'`,
    kind: `'REFUND'`,
    source: text(newReference(20)),
    name: `'{"th": "x", "la": "x", "en": "x"}'`,
    amount: '7500',
    state: text(state),
    created_at: AGO(3),
    leased_until: LATER,
    paid_at: state === 'PAID' ? ENDED : 'null',
  }),
};

/** The transfer that an announcement was matched with has the announcement's id. */
async function storeArrival({ database }: Books, id: string, memberId: string | null): Promise<void> {
  await database.query(
    `insert into deposit_arrival (id, sending_bank, trans_ref, house_account, currency, amount, sender_account, sender_name,
       sent_at, seen_at, state, reason, suspended_at, member_id, debit_house_account, via, claimed_at, credited_at)
     values ($1::uuid, '014', $1::text, 'bank:SCB-4680001234', 'BAHT', 30011, '1234567890', 'SOMJAI D', ${AGO(5)}, ${AGO(4)},
       case when $2::uuid is null then 'SUSPENSE' else 'CREDITED' end,
       case when $2::uuid is null then 'NOBODY' end, case when $2::uuid is null then now() end,
       $2::uuid, case when $2::uuid is not null then 'bank:SCB-4680001234' end, case when $2::uuid is not null then 'FEED' end,
       case when $2::uuid is not null then ${ENDED} end, case when $2::uuid is not null then ${ENDED} end)`,
    [id, memberId],
  );
}

/** A transfer from the wallet to `pg`; in QUEUED from `joker2` to `pg`, with its first leg in flight. */
async function storeTransfer({ database }: Books, state: string, memberId: string): Promise<Stored> {
  const reference = newReference(15);
  const id = randomUUID();
  const isTwoLegged = state === 'QUEUED';
  await database.query(
    `insert into transfer (id, member_id, currency, idempotency_key, input_hash, source, target, amount, reference, created_at)
     values ($1, $2, 'BAHT', $3, 'x', $4, 'pg', 2500, $3, ${AGO(3)})`,
    [id, memberId, reference, isTwoLegged ? 'joker2' : 'WALLET'],
  );
  const insertLeg = (leg: number, game: string, direction: string, at: string): Promise<unknown> =>
    database.query(
      `insert into transfer_leg (transfer_id, leg, member_id, game_code, credits_per_unit, direction, amount, credits, provider,
         username, provider_reference, state, code, next_inquiry_at, leased_until, sent_at, finished_at)
       values ($1, $2, $3, $4, 1, $5, 2500, 2500, $4, 'user', $6, $7, $8, ${LATER}, ${LATER},
         case when $7 <> 'QUEUED' then ${AGO(2)} end, case when $7 in ('DONE', 'REVERSED') then ${ENDED} end)`,
      [id, leg, memberId, game, direction, randomUUID(), at, at === 'REVERSED' ? 'TRANSFER_FAIL' : null],
    );
  if (isTwoLegged) await insertLeg(1, 'joker2', 'out', 'SENT');
  await insertLeg(isTwoLegged ? 2 : 1, 'pg', 'in', state);
  const clear = async (): Promise<void> => {
    await database.query('delete from transfer_leg where transfer_id = $1', [id]);
    await database.query('delete from transfer where id = $1', [id]);
  };
  return { reference, clear };
}
