-- Deposits, each in as few commits as its calls to the outside allow. A credit is a step: the row that says so and the money.

-- Opens a QR code in one statement. Letters: o made · s the member's open code of this amount stands for the request ·
--   l it can be paid, and its gateway has to be asked about it before it is shown (p_asked is the code that was asked about) ·
--   a it is of another amount · m too many codes were made lately · t the key belongs to an earlier request.
-- Two at the same moment: one violates qrcode_live or qrcode_request_key, and is called again.
create function settlement.qrcode_open(
  p_id uuid, p_member uuid, p_gateway text, p_reference text, p_currency currency, p_amount bigint, p_inquire_ms float8,
  p_key text, p_hash bytea, p_asked uuid, p_window_ms float8, p_max int, out letter text, out code qrcode
) language plpgsql as $$
begin
  if exists (select from qrcode_request r where r.member_id = p_member and r.key = p_key) then
    letter := 't';
    return;
  end if;
  update qrcode q set state = 'EXPIRED', ended_at = q.expires_at
   where q.member_id = p_member and q.gateway = p_gateway and q.state = 'PENDING' and q.expires_at <= now();
  select q.* into code from qrcode q
   where q.member_id = p_member and q.gateway = p_gateway and q.state in ('CREATING', 'PENDING');
  if found then
    letter := case when code.state = 'PENDING' and code.id is distinct from p_asked then 'l'
      when code.amount <> p_amount then 'a' else 's' end;
  elsif (select count(*) from qrcode q where q.member_id = p_member and q.gateway = p_gateway
          and q.created_at > now() - p_window_ms * interval '1 ms') >= p_max then
    letter := 'm';
  else
    letter := 'o';
    insert into qrcode as q (id, member_id, gateway, reference, currency, amount, state, inquire_at)
    values (p_id, p_member, p_gateway, p_reference, p_currency, p_amount, 'CREATING', now() + p_inquire_ms * interval '1 ms')
    returning q.* into code;
  end if;
  if p_key is not null and letter in ('o', 's') then
    insert into qrcode_request (member_id, key, request_hash, qrcode_id) values (p_member, p_key, p_hash, code.id);
  end if;
end
$$;

-- Letters of qrcode_credit: o credited · D credited before with the same payment · x credited before with another payment ·
--   c the payment's number has paid another code · w a row is being changed: again later
create function settlement.qrcode_credit_admit(p_rows jsonb) returns text[] language plpgsql as $$
#variable_conflict use_column
declare
  v_letters text[] := array_fill('w'::text, array[jsonb_array_length(p_rows)]);
  v_row record;
begin
  for v_row in
    select t.i, q.state, q.transaction_number = t.number and q.paid_amount = t.amount as is_same,
           exists (select from qrcode o
                    where o.gateway = t.gateway and o.transaction_number = t.number and o.id <> t.id) as is_used,
           (select count(*) from (select from deposit_parked p
                                   where p.gateway = t.gateway and p.reference = t.reference and p.reason = 'ON_HOLD'
                                     for no key update skip locked) p)
             < (select count(*) from deposit_parked p
                 where p.gateway = t.gateway and p.reference = t.reference and p.reason = 'ON_HOLD') as is_away
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
  -- What was on hold at the gateway came through.
  update deposit_parked p set settled_at = now(), settled_by = null
    from jsonb_array_elements(p_rows) with ordinality t(row, i), jsonb_to_record(t.row) n(gateway text, reference text)
   where v_letters[t.i] = 'o' and p.gateway = n.gateway and p.reference = n.reference and p.reason = 'ON_HOLD'
     and (p.settled_at is null or p.settled_by is not null);
  return v_letters;
end
$$;

create function settlement.qrcode_credit_refused(p_rows jsonb, p_outcomes text[]) returns text[] language plpgsql as $$
begin
  raise exception 'settlement: the ledger refused the credit of code %', p_rows -> 0 ->> 'reference';
end
$$;
