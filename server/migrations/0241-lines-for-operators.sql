-- oldest program: 0231
-- A line of a feed that could not be read or stored has a number, its error and its currency, and is settled by an operator:
-- entered as a transfer, or closed. currency is null for lines of an older program whose account is not known any more.
alter table deposit_unreadable_line
  add column id bigint generated always as identity,
  add column currency currency,
  add column error text not null default 'unreadable',
  add column settled_at timestamptz,
  add column settled_by text,
  add constraint deposit_unreadable_line_id unique (id),
  add constraint deposit_unreadable_line_settled check ((settled_at is null) = (settled_by is null));

update deposit_unreadable_line l set currency = a.currency
  from deposit_account a where l.feed = 'bank:' || a.bank_code || '-' || a.account_no;
update deposit_unreadable_line set currency = 'BAHT' where feed = 'wallet-app';

create index deposit_unreadable_line_open on deposit_unreadable_line (seen_at) where settled_at is null;

-- Whether the operator wants the feed read, as the servers see it: only then is a feed without a reading a fault. polled_at:
-- the last page that was read, or since when the feed is watched.
alter table deposit_feed add column is_watched boolean not null default true;
update deposit_feed set polled_at = now() where polled_at is null;

-- A payment without a usable number, or one that could not be credited, is settled by its credit, as one on hold is.
create or replace function settlement.qrcode_credit_admit(p_rows jsonb) returns text[] language plpgsql as $$
#variable_conflict use_column
declare
  v_letters text[] := array_fill('w'::text, array[jsonb_array_length(p_rows)]);
  v_row record;
  -- What waited for an operator and is settled by the credit.
  v_settled constant text[] := array['ON_HOLD', 'TRANSACTION_NUMBER', 'FAILED'];
begin
  for v_row in
    select t.i, q.state, q.transaction_number = t.number and q.paid_amount = t.amount as is_same,
           exists (select from qrcode o
                    where o.gateway = t.gateway and o.transaction_number = t.number and o.id <> t.id) as is_used,
           (select count(*) from (select from deposit_parked p
                                   where p.gateway = t.gateway and p.reference = t.reference and p.reason = any(v_settled)
                                     for no key update skip locked) p)
             < (select count(*) from deposit_parked p
                 where p.gateway = t.gateway and p.reference = t.reference and p.reason = any(v_settled)) as is_away
      from (select n.*, r.i from jsonb_array_elements(p_rows) with ordinality r(row, i),
                   jsonb_to_record(r.row) n(id uuid, gateway text, reference text, number text, amount bigint)
             order by n.id) t,
           lateral (select q.state, q.transaction_number, q.paid_amount from qrcode q where q.id = t.id
                       for no key update skip locked) q
  loop
    v_letters[v_row.i] := case
      when v_row.state = 'PAID' then case when v_row.is_same then 'D' else 'x' end
      when v_row.is_used then 'c'
      when v_row.is_away then 'w'
      else 'o' end;
  end loop;
  -- A request for an inquiry that came while the gateway was asked stays due.
  update qrcode q
     set state = 'PAID', ended_at = coalesce(q.ended_at, now()), paid_amount = n.amount, paid_at = n.paid_at,
         transaction_number = n.number, payer = n.payer, inquiries = q.inquiries + 1, silences = 0, misses = 0,
         wakes = q.wakes + n.called, inquire_at = case when q.wakes > n.wakes then now() end
    from jsonb_array_elements(p_rows) with ordinality t(row, i),
         jsonb_to_record(t.row) n(id uuid, amount bigint, paid_at timestamptz, number text, payer jsonb, called int, wakes int)
   where v_letters[t.i] = 'o' and q.id = n.id;
  -- What waited came through.
  update deposit_parked p set settled_at = now(), settled_by = null
    from jsonb_array_elements(p_rows) with ordinality t(row, i), jsonb_to_record(t.row) n(gateway text, reference text)
   where v_letters[t.i] = 'o' and p.gateway = n.gateway and p.reference = n.reference and p.reason = any(v_settled)
     and (p.settled_at is null or p.settled_by is not null);
  return v_letters;
end
$$;
