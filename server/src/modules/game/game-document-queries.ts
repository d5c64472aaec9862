import type { Queryable, Tx } from '../../platform/database/database.ts';
import type { GamesDocument } from './game-subject.ts';
import { IS_BUSY_SQL } from './provider-queries.ts';

type Game = GamesDocument[number];
type GameRow = Omit<Game, 'closedUntil'> & { closedUntil: Date | null };

/** All games as a document, in display order. */
export async function selectGameDocument(on: Queryable): Promise<GamesDocument> {
  const { rows } = await on.query<GameRow>(
    `select code, name, names, category, provider, provider_game as "providerGame", credits_per_unit as "ftWalletSlot", logo,
       background, web, android, ios, in_maintenance as "inMaintenance",
       case when isfinite(closed_until) then closed_until end as "closedUntil", is_hidden as "isHidden"
     from game order by position, code`,
  );
  return rows.map((game) => ({ ...game, closedUntil: game.closedUntil?.toISOString() ?? null }));
}

export async function replaceGames(tx: Tx, games: GamesDocument): Promise<void> {
  const codes = games.map(({ code }) => code);
  await tx.query('delete from game_favourite where game_code <> all($1)', [codes]);
  await tx.query('delete from game where code <> all($1)', [codes]);
  await tx.query(
    `insert into game (code, name, names, category, provider, provider_game, credits_per_unit, logo, background, web, android,
       ios, in_maintenance, closed_until, is_hidden, position)
     select r.row ->> 'code', r.row ->> 'name', nullif(r.row -> 'names', 'null'), r.row ->> 'category', r.row ->> 'provider',
            r.row ->> 'providerGame', (r.row ->> 'ftWalletSlot')::int, r.row ->> 'logo', r.row ->> 'background',
            r.row ->> 'web', r.row ->> 'android', r.row ->> 'ios', (r.row ->> 'inMaintenance')::boolean,
            (r.row ->> 'closedUntil')::timestamptz, (r.row ->> 'isHidden')::boolean, r.i - 1
       from jsonb_array_elements($1::jsonb) with ordinality r(row, i)
     on conflict (code) do update set name = excluded.name, names = excluded.names, category = excluded.category,
       provider = excluded.provider, provider_game = excluded.provider_game, credits_per_unit = excluded.credits_per_unit,
       logo = excluded.logo, background = excluded.background, web = excluded.web, android = excluded.android,
       ios = excluded.ios, in_maintenance = excluded.in_maintenance, closed_until = excluded.closed_until,
       is_hidden = excluded.is_hidden, position = excluded.position`,
    [JSON.stringify(games)],
  );
}

/** Members' accounts at a game. `isBusy`: one is being opened, has open or unknown bets, or is in a transfer. */
export type GameUse = { accounts: number; isBusy: boolean };

/** Games with accounts, by code. */
export async function selectGameUse(on: Queryable): Promise<ReadonlyMap<string, GameUse>> {
  const { rows } = await on.query<GameUse & { code: string }>(
    `select game_code as code, count(*)::int as accounts,
       bool_or${IS_BUSY_SQL} as "isBusy"
     from game_account group by game_code`,
  );
  return new Map(rows.map(({ code, ...use }) => [code, use]));
}
