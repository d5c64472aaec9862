-- What was given is named in every language: members read in another one later.
alter table incentive_grant
  alter column name type jsonb using jsonb_build_object('th', name, 'la', name, 'en', name);

-- Bonuses that were given before: by their offer, `bonus:CODE:DEPOSIT`.
update incentive_grant g set name = o.name
  from offer o
 where g.kind = 'BONUS' and g.source like 'bonus:%' and o.code = split_part(g.source, ':', 2);
