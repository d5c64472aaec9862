import { MEMBER_OF_ROW, timeOf, type TableFill, perMember } from './table-fill.ts';

/** Rows of deposits, withdrawals and transfers. */
export const MONEY: readonly TableFill[] = [
  {
    name: 'transfer',
    rows: perMember(2),
    sql: `insert into transfer (id, member_id, currency, idempotency_key, input_hash, source, target, amount, reference, created_at)
      select bench.id('transfer', n), ${MEMBER_OF_ROW}, 'BAHT', 'bench ' || n, sha256(convert_to(n::text, 'UTF8')), 'WALLET', 'pg',
             10000, 'B' || case when n <= :members then 1 else 6 end || 'M' || ((n - 1) % :members + 1), ${timeOf('2 * :members')}
        from generate_series($1::bigint, $2) n`,
  },
  {
    name: 'transfer_leg',
    rows: perMember(2),
    sql: `insert into transfer_leg (transfer_id, leg, member_id, game_code, credits_per_unit, direction, amount, credits, provider,
        username, provider_reference, state, proof, proof_by, leased_until, sent_at, finished_at, next_inquiry_at)
      select bench.id('transfer', n), 1, ${MEMBER_OF_ROW}, g.code, g.credits_per_unit, 'in', 10000, 10000 * g.credits_per_unit, g.provider,
             'bm' || ((n - 1) % :members + 1), 'bench' || n, 'DONE', 'APPLIED', 'member', t.at, t.at, t.at, t.at
        from generate_series($1::bigint, $2) n cross join lateral (select ${timeOf('2 * :members')} as at) t join game g on g.code = 'pg'`,
  },
  {
    name: 'qrcode',
    rows: perMember(2),
    sql: `insert into qrcode (id, member_id, gateway, reference, currency, amount, pay_amount, state, created_at, ended_at,
        gateway_reference, payload, expires_at, paid_amount, paid_at, transaction_number)
      select bench.id('qrcode', n), ${MEMBER_OF_ROW}, 'KBANK', 'BENCH' || n, 'BAHT', 10000, 10000, 'PAID', t.at, t.at, 'G' || n,
             repeat('0002010102112937', 6), t.at, 10000, t.at, 'N' || n
        from generate_series($1::bigint, $2) n cross join lateral (select ${timeOf('2 * :members')} as at) t`,
  },
  {
    name: 'qrcode_request',
    rows: perMember(2),
    sql: `insert into qrcode_request (member_id, key, request_hash, qrcode_id, created_at)
      select ${MEMBER_OF_ROW}, 'bench ' || n, sha256(convert_to(n::text, 'UTF8')), bench.id('qrcode', n), now()
        from generate_series($1::bigint, $2) n`,
  },
  {
    name: 'deposit_arrival',
    rows: perMember(1 / 2),
    sql: `insert into deposit_arrival (id, sending_bank, trans_ref, house_account, currency, amount, sender_account, sender_name, sent_at, state,
        member_id, debit_house_account, via, claimed_at, credited_at)
      select bench.id('arrival', n), '014', 'BENCH' || n, 'SCB:4680001234', 'BAHT', 10000, 'xxx-x-x1234-x', 'BENCH', t.at, 'CREDITED',
             ${MEMBER_OF_ROW}, 'SCB:4680001234', 'notice', t.at, t.at
        from generate_series($1::bigint, $2) n cross join lateral (select ${timeOf(':members / 2')} as at) t`,
  },
  {
    name: 'deposit_announcement',
    rows: perMember(1 / 2),
    sql: `insert into deposit_announcement (id, member_id, reference, house_account, currency, amount, pay_amount, state, created_at, expires_at,
        release_at, ended_at, arrival_id)
      select bench.id('announcement', n), ${MEMBER_OF_ROW}, 'BENCHN' || n, 'SCB:4680001234', 'BAHT', 10000, 10000 + n % 99,
             case n % 5 when 0 then 'EXPIRED' else 'MATCHED' end, t.at, t.at, t.at, t.at, bench.id('arrival', n)
        from generate_series($1::bigint, $2) n cross join lateral (select ${timeOf(':members / 2')} as at) t`,
  },
  {
    name: 'slip',
    rows: perMember(1 / 5),
    sql: `insert into slip (id, member_id, reference, currency, state, created_at, ended_at, sending_bank, trans_ref, amount, paid_at, work_at)
      select bench.id('slip', n), ${MEMBER_OF_ROW}, 'BENCHS' || n, 'BAHT', 'CREDITED', t.at, t.at, '014', 'S' || n, 10000, t.at, null
        from generate_series($1::bigint, $2) n cross join lateral (select ${timeOf(':members / 5')} as at) t`,
  },
  {
    name: 'truelink_gift',
    rows: perMember(1 / 5),
    sql: `insert into truelink_gift (id, hash_sha256, member_id, reference, receiver, state, amount, voucher_id, created_at, redeemed_at, ended_at)
      select bench.id('gift', n), sha256(convert_to('gift' || n, 'UTF8')), ${MEMBER_OF_ROW}, 'BENCHG' || n, '0812345678', 'CREDITED', 10000,
             'V' || n, t.at, t.at, t.at
        from generate_series($1::bigint, $2) n cross join lateral (select ${timeOf(':members / 5')} as at) t`,
  },
  {
    name: 'deposit_parked',
    rows: perMember(1 / 20),
    sql: `insert into deposit_parked (gateway, reference, reason, evidence, settled_at, settled_by)
      select 'KBANK', 'BENCH' || n, 'LATE', repeat('evidence ', 20), now(), 'bench' from generate_series($1::bigint, $2) n`,
  },
  {
    name: 'deposit_unreadable_line',
    rows: perMember(1 / 20),
    sql: `insert into deposit_unreadable_line (feed, hash, line)
      select 'SCB', sha256(convert_to('line' || n, 'UTF8')), repeat('unreadable ', 10) from generate_series($1::bigint, $2) n`,
  },
  {
    name: 'withdraw',
    rows: perMember(1 / 2),
    sql: `insert into withdraw (id, member_id, currency, idempotency_key, input_hash, is_all, amount, reference, bank_code, account_no,
        account_name, paid_from, state, is_held, proof, proof_by, leased_until, created_at, first_sent_at, sent_at, finished_at)
      select bench.id('withdraw', n), ${MEMBER_OF_ROW}, 'BAHT', 'bench ' || n, sha256(convert_to(n::text, 'UTF8')), false, 10000,
             'BENCHW' || n, 'KBANK', lpad(n::text, 10, '0'), 'BENCH MEMBER', 'SCB:4680001234', 'PAID', true, 'PAID', 'bank', t.at, t.at, t.at,
             t.at, t.at
        from generate_series($1::bigint, $2) n cross join lateral (select ${timeOf(':members / 2')} as at) t`,
  },
];
