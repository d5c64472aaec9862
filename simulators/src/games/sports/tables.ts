/** Tables of the sports book. A bet is a round of its player; the round stores the selection. */
export const SPORTS_TABLES = `
create table if not exists sports_seed (seed text not null) strict;
-- How a match ended; without a score it was called off. Written once, before the first bet on it is settled.
create table if not exists sports_ending (
  match_id integer primary key, home integer check (home >= 0), away integer check (away >= 0), at integer not null
) strict;
`;
