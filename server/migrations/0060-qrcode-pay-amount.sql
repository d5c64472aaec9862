-- What a code really asks. A gateway that knows payments apart by their amount changes it by less than one baht, so that
-- it need not be what the member wanted (`amount`).
alter table qrcode add column pay_amount bigint;
update qrcode set pay_amount = amount where payload is not null;
alter table qrcode add constraint qrcode_pay_amount check (
  (payload is null or pay_amount is not null) and pay_amount > 0 and abs(pay_amount - amount) < 100);
