-- migration: 0358

-- Opens a QR code in one statement. A live code of the same amount takes the new choice of the bonus. Outcomes:
--   created · reused: the member's live code of this amount · inquiry_needed: the live code may be paid by now; its
--   gateway is asked before it is shown, and p_inquired then names it · amount_differs: the live code has another
--   amount · too_many: codes created in the window · key_taken
-- Two concurrent requests: one violates qrcode_live or qrcode_request_key and is called again.
create or replace function commands.qrcode_open(
  p_id uuid, p_member uuid, p_gateway text, p_reference text, p_currency currency, p_amount bigint, p_inquire_ms float8,
  p_key text, p_hash bytea, p_inquired uuid, p_window_ms float8, p_max int, p_bonus text, out outcome text,
         out code qrcode
) language plpgsql as $$
begin
  if exists (select from qrcode_request request where request.member_id = p_member and request.key = p_key) then
    outcome := 'key_taken';
    return;
  end if;
  update qrcode qr set state = 'EXPIRED', ended_at = qr.expires_at
   where qr.member_id = p_member and qr.gateway = p_gateway and qr.state = 'PENDING' and qr.expires_at <= now();
  select qr.* into code from qrcode qr
   where qr.member_id = p_member and qr.gateway = p_gateway and qr.state in ('CREATING', 'PENDING');
  if found then
    outcome := case when code.state = 'PENDING' and code.id is distinct from p_inquired then 'inquiry_needed'
      when code.amount <> p_amount then 'amount_differs' else 'reused' end;
    if outcome = 'reused' and code.bonus_code is distinct from p_bonus then
      -- A concurrent credit keeps the choice that it has read.
      update qrcode qr set bonus_code = p_bonus
       where qr.id = code.id and qr.state in ('CREATING', 'PENDING') returning qr.* into code;
      if not found then
        raise exception 'the code was paid concurrently' using constraint = 'qrcode_live', errcode = 'unique_violation';
      end if;
    end if;
  elsif (select count(*) from qrcode qr where qr.member_id = p_member and qr.gateway = p_gateway
          and qr.created_at > now() - p_window_ms * interval '1 ms') >= p_max then
    outcome := 'too_many';
  else
    outcome := 'created';
    insert into qrcode as qr (id, member_id, gateway, reference, currency, amount, state, inquire_at, bonus_code)
    values (p_id, p_member, p_gateway, p_reference, p_currency, p_amount, 'CREATING',
           now() + p_inquire_ms * interval '1 ms', p_bonus)
    returning qr.* into code;
  end if;
  if p_key is not null and outcome in ('created', 'reused') then
    insert into qrcode_request (member_id, key, request_hash, qrcode_id) values (p_member, p_key, p_hash, code.id);
  end if;
end
$$;
