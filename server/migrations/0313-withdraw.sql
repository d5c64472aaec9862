-- A requested payout. Inserted before any money is held and any call is sent; at each moment it records what may have happened at the
-- bank.
create table withdraw (
  id uuid primary key,
  member_id uuid not null constraint withdraw_member_exists references member (id),
  currency currency not null,
  idempotency_key text not null,
  -- SHA-256 of the input: the same key with another input is refused.
  input_hash bytea not null,
  -- Whether the games are swept into the wallet first.
  is_all boolean not null,
  amount bigint not null,
  -- For people, and the bank's idempotency key.
  reference text not null,
  -- The registered account at that time. A later change of name does not affect this payout.
  bank_code text not null,
  account_no text not null,
  account_name text not null,
  -- CODE-NUMBER of the own account that pays.
  paid_from text not null,
  state text not null default 'HELD',
  -- False until the ledger holds the money.
  is_held boolean not null default false,
  -- Games that could not be swept into the wallet; null before the sweep.
  not_brought jsonb,
  -- The member's refusal, when the money could not be held.
  refusal_code text,
  refusal_detail text,
  -- What is proven about the payout, or decided by an operator; written before the ledger posts it.
  proof text,
  proof_by text,
  trans_ref text,
  -- Reason of FAILED: the code for the member.
  reason text,
  -- The bank's last reply, for operators.
  note text,
  -- Number of times it was sent, always under one reference.
  attempts integer not null default 0,
  absences integer not null default 0,
  asks integer not null default 0,
  -- A callback arrived: the next inquiry is due immediately.
  is_woken boolean not null default false,
  next_ask_at timestamptz not null default now(),
  -- Lease and fencing token. Until it expires only the holder of this fence acts. A new holder raises the fence, so that writes of a
  -- late holder match no row.
  leased_until timestamptz not null,
  fence integer not null default 1,
  created_at timestamptz not null default now(),
  first_sent_at timestamptz,
  sent_at timestamptz,
  finished_at timestamptz,
  constraint withdraw_once unique (member_id, idempotency_key),
  constraint withdraw_reference unique (reference),
  constraint withdraw_amount check (amount > 0),
  constraint withdraw_state check (state in ('HELD', 'SENT', 'ACCEPTED', 'UNKNOWN', 'MANUAL', 'PAID', 'FAILED')),
  constraint withdraw_held check (is_held or state in ('HELD', 'FAILED')),
  constraint withdraw_sent check (sent_at is not null or state in ('HELD', 'FAILED')),
  constraint withdraw_refusal check ((refusal_code is not null) = (state = 'FAILED' and not is_held)),
  constraint withdraw_proof check (proof in ('PAID', 'FAILED') and proof_by is not null or proof is null),
  constraint withdraw_outcome check (state not in ('PAID', 'FAILED') or not is_held or proof = state),
  constraint withdraw_finished check ((finished_at is not null) = (state in ('PAID', 'FAILED')))
);

-- At most one open withdrawal of a member.
create unique index withdraw_one_pending on withdraw (member_id) where state not in ('PAID', 'FAILED');

create index withdraw_due on withdraw (next_ask_at) where state not in ('PAID', 'FAILED');
create index withdraw_of_member on withdraw (member_id, created_at);

-- withdraw_open: the withdrawal with the hold of its money, or without one where the games are swept first. The caller reads the
-- member's conditions without a lock and names the version of incentive_gate; every change of a condition raises that version.
-- A withdrawal raises it too: an offer that was decided before is decided again, also after the payout. Outcomes:
--   applied · replayed, replayed_refused: an earlier call of this caller opened it; its money was refused ·
--   key_taken: another caller's key · wallet_suspended · withdrawal_open: another one is pending ·
--   stale_conditions: the version has changed · row_locked · insufficient_funds: stored as FAILED
create function commands.withdraw_open_admit(p_rows jsonb) returns text[] language plpgsql as $$
#variable_conflict use_column
declare
  v_outcomes text[] := array_fill('applied'::text, array[jsonb_array_length(p_rows)]);
  v_row record;
begin
  -- The row lock is a write: a replay waits for a synchronous standby, as the first call did.
  for v_row in
    select t.i, known.id = t.id as is_own, known.refusal_code is not null as is_refused,
           not exists (select from withdraw l where l.id = known.id for no key update skip locked) as is_locked
      from (select n.*, r.i from jsonb_array_elements(p_rows) with ordinality r(row, i),
                   jsonb_to_record(r.row) n(id uuid, member uuid, key text) order by n.member, n.key) t,
           lateral (select k.id, k.refusal_code from withdraw k
                     where k.member_id = t.member and k.idempotency_key = t.key) known
  loop
    v_outcomes[v_row.i] := case when not v_row.is_own then 'key_taken' when v_row.is_locked then 'row_locked'
      when v_row.is_refused then 'replayed_refused' else 'replayed' end;
  end loop;

  for v_row in
    select t.i, g.version, t.gate, exists (select from wallet_suspension s where s.member_id = t.member) as is_suspended,
           exists (select from withdraw w where w.member_id = t.member and w.state not in ('PAID', 'FAILED')) as has_open
      from (select n.*, r.i from jsonb_array_elements(p_rows) with ordinality r(row, i),
                   jsonb_to_record(r.row) n(member uuid, gate bigint) order by n.member) t
           left join lateral (select l.version from incentive_gate l where l.member_id = t.member
                                 for no key update skip locked) g on true
     where v_outcomes[t.i] = 'applied'
  loop
    v_outcomes[v_row.i] := case when v_row.is_suspended then 'wallet_suspended' when v_row.version is null then 'row_locked'
      when v_row.has_open then 'withdrawal_open' when v_row.version <> v_row.gate then 'stale_conditions' else 'applied' end;
  end loop;

  update incentive_gate g set version = g.version + 1
    from jsonb_array_elements(p_rows) with ordinality t(row, i), jsonb_to_record(t.row) n(member uuid)
   where v_outcomes[t.i] = 'applied' and g.member_id = n.member;
  insert into withdraw (id, member_id, currency, idempotency_key, input_hash, is_all, amount, reference, bank_code, account_no,
                        account_name, paid_from, is_held, leased_until)
  select n.id, n.member, n.currency, n.key, decode(n.hash, 'hex'), n.is_all, n.amount, n.reference, n.bank_code, n.account_no,
         n.account_name, n.paid_from, not n.is_all, clock_timestamp() + n.lease_ms * interval '1 ms'
    from jsonb_array_elements(p_rows) with ordinality t(row, i),
         jsonb_to_record(t.row) n(id uuid, member uuid, currency text, key text, hash text, is_all boolean, amount bigint,
                                  reference text, bank_code text, account_no text, account_name text, paid_from text, lease_ms int)
   where v_outcomes[t.i] = 'applied';
  return v_outcomes;
end
$$;

-- The refusal is the key's permanent result.
create function commands.withdraw_open_refused(p_rows jsonb, p_verdicts text[]) returns text[] language plpgsql as $$
begin
  update withdraw w set state = 'FAILED', is_held = false, refusal_code = n.code, refusal_detail = n.detail,
         finished_at = clock_timestamp()
    from jsonb_to_recordset(p_rows) n(id uuid, code text, detail text) where w.id = n.id;
  return array_fill('insufficient_funds'::text, array[cardinality(p_verdicts)]);
end
$$;

-- withdraw_hold: the hold after the games were swept. Outcomes: applied · lease_lost: another process prepares the withdrawal, or
-- its money is held already · row_locked · insufficient_funds: stored as FAILED
create function commands.withdraw_hold_admit(p_rows jsonb) returns text[] language plpgsql as $$
#variable_conflict use_column
declare
  v_outcomes text[] := array_fill('row_locked'::text, array[jsonb_array_length(p_rows)]);
  v_row record;
begin
  for v_row in
    select t.i, l.state = 'HELD' and not l.is_held and l.fence = t.fence as is_own
      from (select n.*, r.i from jsonb_array_elements(p_rows) with ordinality r(row, i),
                   jsonb_to_record(r.row) n(id uuid, fence int) order by n.id) t,
           lateral (select w.state, w.is_held, w.fence from withdraw w where w.id = t.id for no key update skip locked) l
  loop
    v_outcomes[v_row.i] := case when v_row.is_own then 'applied' else 'lease_lost' end;
  end loop;
  update withdraw w set is_held = true, not_brought = n.not_brought, asks = 0, next_ask_at = clock_timestamp(),
         leased_until = clock_timestamp()
    from jsonb_array_elements(p_rows) with ordinality t(row, i), jsonb_to_record(t.row) n(id uuid, not_brought jsonb)
   where v_outcomes[t.i] = 'applied' and w.id = n.id;
  return v_outcomes;
end
$$;

create function commands.withdraw_hold_refused(p_rows jsonb, p_verdicts text[]) returns text[] language sql as $$
  select commands.withdraw_open_refused(p_rows, p_verdicts)
$$;

-- withdraw_close: the proof of a payout and its money. Outcomes: applied · replayed: an earlier call closed it in the same way ·
-- closed_differently · lease_lost: another process owns it · row_locked · books_refused: the ledger refused, the proof is stored
create function commands.withdraw_close_admit(p_rows jsonb) returns text[] language plpgsql as $$
#variable_conflict use_column
declare
  v_outcomes text[] := array_fill('row_locked'::text, array[jsonb_array_length(p_rows)]);
  v_row record;
begin
  for v_row in
    select t.i, t."to", l.state, l.fence = t.fence and l.state = t."from" as is_own
      from (select n.*, r.i from jsonb_array_elements(p_rows) with ordinality r(row, i),
                   jsonb_to_record(r.row) n(id uuid, fence int, "from" text, "to" text) order by n.id) t,
           lateral (select w.state, w.fence from withdraw w where w.id = t.id for no key update skip locked) l
  loop
    v_outcomes[v_row.i] := case when v_row.is_own then 'applied' when v_row.state = v_row."to" then 'replayed'
      when v_row.state in ('PAID', 'FAILED') then 'closed_differently' else 'lease_lost' end;
  end loop;
  update withdraw w
     set state = n."to", proof = n."to", proof_by = n.by, finished_at = clock_timestamp(),
         -- The bank's result overrides an operator's decision: a paid withdrawal has no reason for a failure.
         reason = case n."to" when 'FAILED' then coalesce(n.reason, w.reason) end, note = coalesce(n.note, w.note), trans_ref = coalesce(n.trans_ref, w.trans_ref)
    from jsonb_array_elements(p_rows) with ordinality t(row, i),
         jsonb_to_record(t.row) n(id uuid, "to" text, by text, reason text, note text, trans_ref text)
   where v_outcomes[t.i] = 'applied' and w.id = n.id;
  return v_outcomes;
end
$$;

create function commands.withdraw_close_refused(p_rows jsonb, p_verdicts text[]) returns text[] language plpgsql as $$
begin
  update withdraw w set state = n."from", finished_at = null
    from jsonb_to_recordset(p_rows) n(id uuid, "from" text) where w.id = n.id;
  return array_fill('books_refused'::text, array[cardinality(p_verdicts)]);
end
$$;
