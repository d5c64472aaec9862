-- oldest program: 0251
-- What members read in each language: {"th": …, "la": …, "en": …}. Null: the game has one name, a brand.
alter table game add column names jsonb;
