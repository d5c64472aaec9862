/**
 * The draws of every lotto; tickets are rounds. Times are milliseconds since 1970. `planned`: a result ordered by the
 * control API; `result`: set once drawn; `settled`: all tickets are paid.
 */
export const LOTTO_TABLES = `
create table if not exists lotto_draw (
  provider text not null, game text not null, number integer not null, draw_at integer not null, planned text,
  result text, drawn_at integer, settled integer not null default 0,
  primary key (provider, game, number)
) strict, without rowid;
`;
