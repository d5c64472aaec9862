-- An offer that nobody receives on a deposit: it is won.
alter table offer drop constraint offer_kind;
alter table offer add constraint offer_kind check (kind in ('BONUS', 'PROMOTION', 'PRIZE'));
