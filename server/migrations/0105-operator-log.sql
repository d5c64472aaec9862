-- What operators have done by command: who, when, what, to what, and why. It is written in the transaction that does it,
-- and nothing in it is ever changed or taken away.
create table operator_log (
  id bigint generated always as identity primary key,
  at timestamptz not null default clock_timestamp(),
  operator text not null,
  what text not null,
  subject text not null,
  reason text not null,
  constraint operator_log_operator check (operator ~ '^[A-Za-z0-9._-]{1,40}$'),
  constraint operator_log_words check (length(what) between 1 and 200 and length(subject) between 1 and 200),
  constraint operator_log_reason check (length(reason) between 5 and 500)
);

create index operator_log_subject on operator_log (subject, id);

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is only added to', tg_table_name using errcode = 'restrict_violation';
end
$$;

create trigger operator_log_only_added_to
  before update or delete or truncate on operator_log
  for each statement execute function refuse_change();
