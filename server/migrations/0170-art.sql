-- Games and bonuses of the demonstration get their pictures; what an operator has set stays.
update game set logo = replace(background, '/art/games/', '/art/logos/')
 where logo = '' and background like '/art/games/%.svg';

update offer o set banners = jsonb_set(o.banners, '{0,image}', to_jsonb('/art/bonus/' || p.picture || '.svg'))
  from (values ('WELCOME', 'welcome'), ('DAILY', 'daily'), ('WEEKLY', 'weekly'), ('LUCKY50', 'lucky')) p (code, picture)
 where o.code = p.code and o.banners #>> '{0,image}' = '';
