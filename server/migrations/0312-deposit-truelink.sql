-- Deposits by a gift link of the wallet app. The row is inserted before any call, and the hash is unique among all members: the
-- second sender of a link is refused. Anyone who reads a link can redeem it: only its SHA-256 is stored, and the sealed text for as
-- long as it is needed.
create table truelink_gift (
  id uuid primary key,
  hash_sha256 bytea not null,
  sealed_hash bytea,
  member_id uuid not null constraint truelink_gift_member_exists references member (id),
  reference text collate "C" not null,
  -- Own phone in the wallet app. It redeems one link at a time.
  receiver text collate "C" not null,
  state text collate "C" not null default 'NEW',
  -- Reason of FAILED.
  code text collate "C",
  detail text collate "C",
  -- Value of the own ticket, in satang.
  amount bigint,
  voucher_id text collate "C",
  created_at timestamptz not null default now(),
  -- When the redeeming call was last sent.
  redeemed_at timestamptz,
  ended_at timestamptz,
  -- Inquiries without an outcome, and replies that the link is still unredeemed.
  asks integer not null default 0,
  absences integer not null default 0,
  work_at timestamptz,
  constraint truelink_gift_hash unique (hash_sha256),
  constraint truelink_gift_hash_length check (length(hash_sha256) = 32),
  constraint truelink_gift_reference unique (reference),
  constraint truelink_gift_state check (state in ('NEW', 'REDEEMING', 'UNKNOWN', 'CREDITED', 'FAILED', 'MANUAL')),
  constraint truelink_gift_amount check ((state = 'CREDITED') = (amount is not null) and amount > 0),
  constraint truelink_gift_failed check ((state = 'FAILED') = (code is not null)),
  constraint truelink_gift_ended check ((state in ('CREDITED', 'FAILED')) = (ended_at is not null)),
  constraint truelink_gift_sealed check (sealed_hash is not null or state in ('CREDITED', 'FAILED'))
) with (fillfactor = 80);

create unique index truelink_gift_redeeming on truelink_gift (receiver) where state = 'REDEEMING';
create index truelink_gift_work on truelink_gift (work_at) where work_at is not null;
create index truelink_gift_member on truelink_gift (member_id, created_at);
-- Listed for operators, and counted by metrics.
create index truelink_gift_manual on truelink_gift (created_at) where state = 'MANUAL';

-- gift_credit: the link becomes CREDITED in the commit of the credit. Outcomes: applied · replayed ·
-- amount_conflict: credited before with another amount · not_creditable: in a state that is neither redeemed nor inquired about ·
-- row_locked
create function commands.gift_credit(p_row jsonb) returns text language plpgsql as $$
declare
  v_gift truelink_gift;
begin
  select * into v_gift from truelink_gift where id = (p_row ->> 'id')::uuid for no key update skip locked;
  case
    when not found then return 'row_locked';
    when v_gift.state = 'CREDITED' then
      return case when v_gift.amount = (p_row ->> 'amount')::bigint then 'replayed' else 'amount_conflict' end;
    when not (p_row -> 'from') ? v_gift.state then return 'not_creditable';
    else
  end case;
  update truelink_gift set state = 'CREDITED', amount = (p_row ->> 'amount')::bigint, voucher_id = p_row ->> 'voucher',
         ended_at = now(), sealed_hash = null, work_at = null
   where id = v_gift.id;
  return 'applied';
end
$$;

create function commands.gift_credit_admit(p_rows jsonb) returns text[] language sql as $$
  select array_agg(commands.gift_credit(r.row) order by r.i) from jsonb_array_elements(p_rows) with ordinality r(row, i)
$$;
create function commands.gift_credit_refused(p_rows jsonb, p_verdicts text[]) returns text[] language sql as $$
  select commands.deposit_refused(p_rows)
$$;
