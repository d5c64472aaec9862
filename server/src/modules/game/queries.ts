import { type Minor, minor } from '@krapao/contract/money';
import { gameAccountTransitions } from '@krapao/contract/states';
import { type SnapshotField, snapshotField } from '../../platform/database/batched-reads.ts';
import type { Queryable, Tx } from '../../platform/database/database.ts';
import { hideFromPlanner } from '../../platform/database/statements.ts';
import { statesBefore } from '../../platform/state-machine.ts';
import type { Game, GameAccount } from './game.ts';

type AccountKey = { memberId: string; gameCode: string };

// A game is also in maintenance, or withdrawn, while an operator has stopped it or its provider.
const IS_STOPPED_SQL = 'exists (select from operator_data_switch s where s.is_stopped and s.name';
const IN_MAINTENANCE_SQL = `(g.in_maintenance or ${IS_STOPPED_SQL} in ('game:' || g.code, 'provider:' || g.provider)))`;
const IS_HIDDEN_SQL = `(g.is_hidden or ${IS_STOPPED_SQL} = 'lobby:' || g.code))`;
const GAME_COLUMNS = `code, name, names, category, provider, provider_game as "providerGame", credits_per_unit as "creditsPerUnit", logo,
  background, web, android, ios, ${IN_MAINTENANCE_SQL} as "inMaintenance", case when g.in_maintenance then g.closed_until end as "closedUntil",
  ${IS_HIDDEN_SQL} as "isHidden"`;
const ACCOUNT_COLUMNS = `member_id as "memberId", game_code as "gameCode", provider, username, password,
  password_next as "passwordNext", state, create_calls as "createCalls", busy_with as "busyWith", version,
  is_stale as "isStale", are_bets_known as "areBetsKnown", outstanding, turnover`;

/** All games, in display order. */
export async function selectGames(on: Queryable): Promise<Game[]> {
  const { rows } = await on.query<Game>(`select ${GAME_COLUMNS} from game g order by position, code`, [], {
    name: 'games',
  });
  return rows;
}

export async function selectGame(on: Queryable, code: string): Promise<Game | undefined> {
  const { rows } = await on.query<Game>(`select ${GAME_COLUMNS} from game g where code = $1`, [code]);
  return rows[0];
}

export async function insertGame(
  tx: Tx,
  game: Omit<Game, 'isHidden' | 'closedUntil'>,
  position: number,
): Promise<void> {
  await tx.query(
    `insert into game (code, name, names, category, provider, provider_game, credits_per_unit, logo, background, web, android,
       ios, in_maintenance, position)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) on conflict do nothing`,
    [
      game.code,
      game.name,
      game.names && JSON.stringify(game.names),
      game.category,
      game.provider,
      game.providerGame,
      game.creditsPerUnit,
      game.logo,
      game.background,
      game.web,
      game.android,
      game.ios,
      game.inMaintenance,
      position,
    ],
  );
}

export async function selectAccounts(on: Queryable, memberId: string): Promise<GameAccount[]> {
  const { rows } = await on.query<GameAccount>(
    `select ${ACCOUNT_COLUMNS} from game_account where member_id = $1 and state = 'ACTIVE'`,
    [memberId],
    { name: 'game accounts of a member' },
  );
  return rows;
}

/** Fields of an open account shown by the wallet. */
export type ShownAccount = Pick<
  GameAccount,
  'gameCode' | 'provider' | 'busyWith' | 'isStale' | 'outstanding' | 'turnover'
> & {
  /** When the member last opened the game; ISO text. */
  launchedAt: string | null;
  /** Amount of the last transfer into the game. */
  lastTopUp: Minor | null;
};

type ShownAccountJson = Omit<ShownAccount, 'outstanding' | 'turnover' | 'lastTopUp'> & {
  outstanding: string;
  turnover: string | null;
  lastTopUp: string | null;
};

const minorOrNull = (text: string | null): Minor | null => (text === null ? null : minor(BigInt(text)));

export const shownAccounts: SnapshotField<ShownAccount[]> = snapshotField(
  `select json_agg(json_build_object('gameCode', a.game_code, 'provider', a.provider, 'busyWith', a.busy_with, 'isStale', a.is_stale,
     'outstanding', a.outstanding::text, 'turnover', a.turnover::text, 'launchedAt', a.launched_at,
     'lastTopUp', a.last_top_up::text))
   from game_account a where a.member_id = asked.member_id and a.state = 'ACTIVE'`,
  (accounts: ShownAccountJson[] | null) =>
    (accounts ?? []).map(({ outstanding, turnover, launchedAt, lastTopUp, ...account }) => ({
      ...account,
      outstanding: minor(BigInt(outstanding)),
      turnover: minorOrNull(turnover),
      lastTopUp: minorOrNull(lastTopUp),
      launchedAt: launchedAt && new Date(launchedAt).toISOString(),
    })),
);

export const favouriteGames: SnapshotField<string[]> = snapshotField(
  `select json_agg(f.game_code order by f.created_at) from game_favourite f where f.member_id = asked.member_id`,
  (codes: string[] | null) => codes ?? [],
);

/** Fields of an open account and its game that a refresh needs. */
export type RefreshableAccount = Pick<
  GameAccount,
  | 'gameCode'
  | 'provider'
  | 'username'
  | 'busyWith'
  | 'version'
  | 'isStale'
  | 'areBetsKnown'
  | 'outstanding'
  | 'turnover'
> &
  Pick<Game, 'creditsPerUnit' | 'isHidden'>;

type RefreshableAccountJson = Omit<RefreshableAccount, 'version' | 'outstanding' | 'turnover'> & {
  version: string;
  outstanding: string;
  turnover: string | null;
};

/** A member's open accounts, in display order. */
export const refreshableAccounts: SnapshotField<RefreshableAccount[]> = snapshotField(
  `select json_agg(json_build_object('gameCode', a.game_code, 'provider', a.provider, 'username', a.username,
     'busyWith', a.busy_with, 'version', a.version::text, 'isStale', a.is_stale, 'areBetsKnown', a.are_bets_known,
     'outstanding', a.outstanding::text, 'turnover', a.turnover::text, 'creditsPerUnit', g.credits_per_unit,
     'isHidden', ${IS_HIDDEN_SQL}) order by g.position, g.code)
   from game_account a join game g on g.code = a.game_code where a.member_id = asked.member_id and a.state = 'ACTIVE'`,
  (accounts: RefreshableAccountJson[] | null) =>
    (accounts ?? []).map(({ version, outstanding, turnover, ...account }) => ({
      ...account,
      version: BigInt(version),
      outstanding: minor(BigInt(outstanding)),
      turnover: minorOrNull(turnover),
    })),
);

export type GameTurnover = { memberId: string; gameCode: string; turnover: Minor | null; mayBeOpen: boolean };

/** Stakes of members' settled bets by their last refreshes. `mayBeOpen`: the account may have open bets. */
export async function selectTurnovers(on: Queryable, memberIds: readonly string[]): Promise<GameTurnover[]> {
  const { rows } = await on.query<GameTurnover>(
    `select member_id as "memberId", game_code as "gameCode", turnover,
       outstanding > 0 or busy_with is not null or not are_bets_known as "mayBeOpen"
     from game_account where member_id = any($1)`,
    [memberIds],
  );
  return rows;
}

/** Source or target game of a transfer, and the member's login if the account is open. */
export type LegAccountRow = Pick<Game, 'code' | 'creditsPerUnit' | 'inMaintenance' | 'isHidden'> & {
  account: Pick<GameAccount, 'provider' | 'username' | 'version' | 'busyWith'> | undefined;
};

export type LegAccountsRequest = { memberId: string; codes: readonly string[] };

/** The existing games with the requested codes. One statement serves all requests, and the result has their order. */
export async function selectLegAccounts(
  on: Queryable,
  requests: readonly LegAccountsRequest[],
): Promise<LegAccountRow[][]> {
  type AccountLogin = NonNullable<LegAccountRow['account']>;
  type AccountRow = Omit<LegAccountRow, 'account'> & { [Column in keyof AccountLogin]: AccountLogin[Column] | null } & {
    position: number;
  };
  const requestedGames = requests.flatMap(({ memberId, codes }, position) =>
    codes.map((code) => ({ memberId, code, position })),
  );
  const { rows } = await on.query<AccountRow>(
    `select asked.position, g.code, g.credits_per_unit as "creditsPerUnit", ${IN_MAINTENANCE_SQL} as "inMaintenance",
            ${IS_HIDDEN_SQL} as "isHidden", a.provider, a.username, a.version, a.busy_with as "busyWith"
       from unnest(${hideFromPlanner('$1::uuid[]')}, ${hideFromPlanner('$2::text[]')}, ${hideFromPlanner('$3::int[]')}) as asked (member_id, code, position)
       join game g on g.code = asked.code
       left join game_account a on a.game_code = g.code and a.member_id = asked.member_id and a.state = 'ACTIVE'`,
    [
      requestedGames.map(({ memberId }) => memberId),
      requestedGames.map(({ code }) => code),
      requestedGames.map(({ position }) => position),
    ],
    { name: 'accounts of a transfer' },
  );
  const accountsByRequest = requests.map((): LegAccountRow[] => []);
  for (const { position, provider, username, version, busyWith, ...game } of rows) {
    const isOpen = provider !== null && username !== null && version !== null;
    accountsByRequest[position]?.push({
      ...game,
      account: isOpen ? { provider, username, version, busyWith } : undefined,
    });
  }
  return accountsByRequest;
}

export async function selectAccount(
  on: Queryable,
  { memberId, gameCode }: AccountKey,
): Promise<GameAccount | undefined> {
  const { rows } = await on.query<GameAccount>(
    `select ${ACCOUNT_COLUMNS} from game_account where member_id = $1 and game_code = $2`,
    [memberId, gameCode],
  );
  return rows[0];
}

export type BetState = {
  gameCode: string;
  /** Version of the game account. Every refresh and transfer raises it. */
  version: bigint;
  /** Stakes of open bets, by the last refresh. */
  outstanding: Minor;
  /** Stakes of settled bets since the account was opened; null if the provider does not report them. */
  turnover: Minor | null;
  /** True if the provider did not reply to the last refresh, or a transfer has happened since. */
  isStale: boolean;
  /** True if a transfer is pending or has happened since the last refresh: `outstanding` then lacks earlier stakes. */
  isMoved: boolean;
};

type BetStateJson = Omit<BetState, 'version' | 'outstanding' | 'turnover'> & {
  version: string;
  outstanding: string;
  turnover: string | null;
};

export const betStates: SnapshotField<BetState[]> = snapshotField(
  `select json_agg(json_build_object('gameCode', a.game_code, 'version', a.version::text, 'outstanding', a.outstanding::text,
     'turnover', a.turnover::text, 'isStale', a.is_stale or a.busy_with is not null or not a.are_bets_known,
     'isMoved', a.busy_with is not null or not a.are_bets_known) order by a.game_code)
   from game_account a where a.member_id = asked.member_id and a.state = 'ACTIVE'`,
  (accounts: BetStateJson[] | null) =>
    (accounts ?? []).map(({ version, outstanding, turnover, ...account }) => ({
      ...account,
      version: BigInt(version),
      outstanding: minor(BigInt(outstanding)),
      turnover: minorOrNull(turnover),
    })),
);

/** Waits for a refresh that is writing, and blocks further refreshes until the transaction ends. */
export async function lockBets(tx: Tx, memberId: string): Promise<void> {
  await tx.query(
    `select from game_account where member_id = $1 and state = 'ACTIVE' order by game_code for share`,
    [memberId],
    { name: 'hold bets of a member' },
  );
}

type OpeningAccount = AccountKey & { provider: string; username: string; password: Buffer };

/**
 * Claims the opening of an account: inserts its row, or takes over a row without a call in flight. A row for another
 * provider starts over. Counts the call that follows.
 * @returns undefined if a call is in flight or the account is open
 */
export async function claimOpening(
  on: Queryable,
  opening: OpeningAccount,
  leaseMs: number,
): Promise<GameAccount | undefined> {
  const { rows } = await on.query<GameAccount>(
    `insert into game_account as a (member_id, game_code, provider, username, password, create_calls, asking_until)
     values ($1, $2, $3, $4, $5, 1, now() + $6 * interval '1 ms')
     on conflict (member_id, game_code) do update
       set provider = excluded.provider, asking_until = excluded.asking_until,
         username = case when a.provider = excluded.provider then a.username else excluded.username end,
         create_calls = case when a.provider = excluded.provider then a.create_calls + 1 else 1 end
       where a.state = 'OPENING' and (a.asking_until is null or a.asking_until < now())
     returning ${ACCOUNT_COLUMNS}`,
    [opening.memberId, opening.gameCode, opening.provider, opening.username, opening.password, leaseMs],
  );
  return rows[0];
}

/** Changes the username of an opening, because the previous one is taken. */
export async function renameOpening(on: Queryable, key: AccountKey, username: string): Promise<void> {
  await on.query(
    `update game_account set username = $3, create_calls = 1
     where member_id = $1 and game_code = $2 and state = 'OPENING'`,
    [key.memberId, key.gameCode, username],
  );
}

/**
 * Releases the claim of an opening.
 * @param hadNoEffect whether the call provably had no effect; it is then not counted
 */
export async function releaseOpening(on: Queryable, key: AccountKey, hadNoEffect: boolean): Promise<void> {
  await on.query(
    `update game_account set asking_until = null, create_calls = create_calls - $3
     where member_id = $1 and game_code = $2 and state = 'OPENING'`,
    [key.memberId, key.gameCode, hadNoEffect ? 1 : 0],
  );
}

/**
 * Marks the account as open.
 * @param openedAccount login at the provider; the password sealed
 * @returns false if the account is already open, or is being opened at another provider
 */
export async function markActive(on: Queryable, openedAccount: OpeningAccount): Promise<boolean> {
  const { rowCount } = await on.query(
    `update game_account set state = 'ACTIVE', activated_at = now(), asking_until = null, username = $3, password = $4
     where member_id = $1 and game_code = $2 and state = any($6) and provider = $5`,
    [
      openedAccount.memberId,
      openedAccount.gameCode,
      openedAccount.username,
      openedAccount.password,
      openedAccount.provider,
      statesBefore(gameAccountTransitions, 'ACTIVE'),
    ],
  );
  return rowCount > 0;
}

export async function markReplyLost(on: Queryable, key: AccountKey): Promise<void> {
  await on.query(
    `update game_account set reply_lost_at = now() where member_id = $1 and game_code = $2 and state = 'ACTIVE'`,
    [key.memberId, key.gameCode],
  );
}

/** Returns whether the activation's reply was lost in the last minute. True only once. */
export async function consumeLostReply(on: Queryable, key: AccountKey): Promise<boolean> {
  const { rowCount } = await on.query(
    `update game_account set reply_lost_at = null
     where member_id = $1 and game_code = $2 and reply_lost_at > now() - interval '1 minute'`,
    [key.memberId, key.gameCode],
  );
  return rowCount > 0;
}

export async function markLaunched(on: Queryable, { memberId, gameCode }: AccountKey): Promise<void> {
  await on.query(
    'update game_account set launched_at = now() where member_id = $1 and game_code = $2',
    [memberId, gameCode],
    { name: 'game-launched' },
  );
}

/** Adds or removes a favourite. @returns false if there is no such game */
export async function setFavourite(
  on: Queryable,
  { memberId, gameCode }: AccountKey,
  isFavourite: boolean,
): Promise<boolean> {
  const { rowCount } = await on.query(
    isFavourite
      ? `with known as (select code from game g where code = $2 and not ${IS_HIDDEN_SQL}),
         added as (insert into game_favourite (member_id, game_code) select $1, code from known on conflict do nothing)
         select from known`
      : `with removed as (delete from game_favourite where member_id = $1 and game_code = $2)
         select from game where code = $2`,
    [memberId, gameCode],
  );
  return rowCount > 0;
}

/** Members below which a game is not called popular. */
const POPULAR_MEMBERS_MIN = 20;

/** Offered games that most members opened within a week. */
export async function selectPopular(on: Queryable): Promise<string[]> {
  const { rows } = await on.query<{ code: string }>(
    `select g.code from game_account a join game g on g.code = a.game_code
      where a.launched_at > now() - interval '7 days' and not ${IS_HIDDEN_SQL}
      group by g.code having count(*) >= $1 order by count(*) desc, g.code`,
    [POPULAR_MEMBERS_MIN],
    { name: 'games-popular' },
  );
  return rows.map(({ code }) => code);
}

/** Marks accounts whose provider did not reply to a refresh. */
export async function markStale(on: Queryable, memberId: string, gameCodes: readonly string[]): Promise<void> {
  await on.query('update game_account set is_stale = true where member_id = $1 and game_code = any($2)', [
    memberId,
    gameCodes,
  ]);
}

/** Every game, withdrawn ones included, with its provider and its credits per minor unit. */
export async function selectCreditRates(
  on: Queryable,
): Promise<{ code: string; provider: string; creditsPerUnit: number }[]> {
  const { rows } = await on.query<{ code: string; provider: string; creditsPerUnit: number }>(
    'select code, provider, credits_per_unit as "creditsPerUnit" from game',
  );
  return rows;
}
