-- The three digits that slips and clearing name a bank by. Operator data, because banks merge and new ones come; a bank
-- without a number can't be told as a sender.
alter table bank add column number text check (number ~ '^[0-9]{3}$');

update bank set number = known.number
from (values ('BBL', '002'), ('KBANK', '004'), ('KTB', '006'), ('TMB', '011'), ('SCB', '014'), ('CITI', '017'),
  ('SCBT', '020'), ('CIMBT', '022'), ('UOBT', '024'), ('BAY', '025'), ('GSB', '030'), ('HSBC', '031'), ('GHB', '033'),
  ('BAAC', '034'), ('BOC', '052'), ('IBANK', '066'), ('TISCO', '067'), ('KKP', '069'), ('ICBCT', '070'),
  ('TCRB', '071'), ('LHB', '073'), ('SME', '098'), ('BCEL', '999')) as known (code, number)
where bank.code = known.code;
