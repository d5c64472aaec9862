import { MEMBER_OF_ROW, timeOf, type TableFill, perMember } from './table-fill.ts';

/** Members, with rows of registration, login and game accounts. */
export const PEOPLE: readonly TableFill[] = [
  {
    name: 'member',
    rows: perMember(1),
    sql: `insert into member (id, code, phone, name, password_hash, currency, source_code, created_at)
      select bench.id('member', n), lpad(n::text, 8, '0'), '09' || lpad(n::text, 8, '0'), 'Bench ' || n, '-', 'BAHT', 'FRIEND',
             ${timeOf(':members')}
        from generate_series($1::bigint, $2) n`,
  },
  {
    name: 'member_bank_account',
    rows: perMember(1),
    sql: `insert into member_bank_account (member_id, bank_code, account_no, account_name, created_at)
      select bench.id('member', n), 'KBANK', lpad(n::text, 10, '0'), 'BENCH MEMBER', ${timeOf(':members')}
        from generate_series($1::bigint, $2) n`,
  },
  {
    name: 'member_session',
    rows: perMember(1),
    sql: `insert into member_session (token_hash, member_id, address, remembered, created_at, expires_at)
      select sha256(convert_to('session' || n, 'UTF8')), bench.id('member', n), '10.0.0.0'::inet + n, true, now(), now() + interval '20 days'
        from generate_series($1::bigint, $2) n`,
  },
  {
    name: 'otp_phone',
    rows: perMember(1),
    sql: `insert into otp_phone (phone, verified_until) select '09' || lpad(n::text, 8, '0'), ${timeOf(':members')}
        from generate_series($1::bigint, $2) n`,
  },
  {
    name: 'otp',
    rows: perMember(1 / 20),
    sql: `insert into otp (token_hash, phone, ref, code_hash, state, created_at, expires_at)
      select sha256(convert_to('otp' || n, 'UTF8')), '09' || lpad(n::text, 8, '0'), 'ABCD', sha256(convert_to('code' || n, 'UTF8')),
             'consumed', now() - (n % 1440) * interval '1 minute', now()
        from generate_series($1::bigint, $2) n`,
  },
  {
    name: 'otp_known',
    rows: perMember(1),
    sql: `insert into otp_known (kind, name, verified_at) select 'phone', '09' || lpad(n::text, 8, '0'), ${timeOf(':members')}
        from generate_series($1::bigint, $2) n`,
  },
  {
    name: 'game_account',
    rows: perMember(2),
    sql: `insert into game_account (member_id, game_code, provider, username, password, state, activated_at, version)
      select ${MEMBER_OF_ROW}, g.code, g.provider, 'bm' || n, '\\x00', 'ACTIVE', now(), 3
        from generate_series($1::bigint, $2) n
        join game g on g.code = case when n <= :members then 'pg' else 'joker2' end`,
  },
  {
    name: 'game_reveal',
    rows: perMember(1),
    sql: `insert into game_reveal (member_id, game_code, username, action, request_id, address, at)
      select ${MEMBER_OF_ROW}, 'pg', 'bm' || n, 'launch', 'bench', '10.0.0.1', ${timeOf(':members')}
        from generate_series($1::bigint, $2) n`,
  },
  {
    name: 'operator_log',
    rows: perMember(1 / 100),
    sql: `insert into operator_log (at, operator, what, subject, reason)
      select ${timeOf(':members / 100')}, 'bench', 'looked', 'member ' || n, 'fills the log' from generate_series($1::bigint, $2) n`,
  },
];
