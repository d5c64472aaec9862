import type { Minor } from '@krapao/contract/money';
import type { Queryable, Tx } from '../../platform/database.ts';
import type { Game, GameAccount, Trace } from './game.ts';

type Key = { memberId: string; gameCode: string };

const GAME = `code, name, category, provider, provider_game as "providerGame", ft_wallet_slot as "ftWalletSlot", logo,
  background, web, android, ios, in_maintenance as "inMaintenance"`;
const ACCOUNT = `member_id as "memberId", game_code as "gameCode", provider, username, password,
  password_next as "passwordNext", state, create_calls as "createCalls", busy_with as "busyWith", version,
  is_stale as "isStale", outstanding, turnover`;

/** The games that members see, in their order. */
export async function selectGames(on: Queryable): Promise<Game[]> {
  const { rows } = await on.query<Game>(`select ${GAME} from game where not is_hidden order by position, code`, [], {
    name: 'games',
  });
  return rows;
}

export async function selectGame(on: Queryable, code: string): Promise<Game | undefined> {
  const { rows } = await on.query<Game>(`select ${GAME} from game where code = $1 and not is_hidden`, [code]);
  return rows[0];
}

export async function insertGame(tx: Tx, game: Game, position: number): Promise<void> {
  await tx.query(
    `insert into game (code, name, category, provider, provider_game, ft_wallet_slot, logo, background, web, android,
       ios, in_maintenance, position)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) on conflict do nothing`,
    [
      game.code,
      game.name,
      game.category,
      game.provider,
      game.providerGame,
      game.ftWalletSlot,
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
    `select ${ACCOUNT} from game_account where member_id = $1 and state = 'ACTIVE'`,
    [memberId],
    { name: 'game accounts of a member' },
  );
  return rows;
}

export async function selectAccount(on: Queryable, { memberId, gameCode }: Key): Promise<GameAccount | undefined> {
  const { rows } = await on.query<GameAccount>(
    `select ${ACCOUNT} from game_account where member_id = $1 and game_code = $2`,
    [memberId, gameCode],
  );
  return rows[0];
}

/** The account with its row locked until the transaction ends. */
export async function lockAccount(tx: Tx, { memberId, gameCode }: Key): Promise<GameAccount | undefined> {
  const { rows } = await tx.query<GameAccount>(
    `select ${ACCOUNT} from game_account where member_id = $1 and game_code = $2 for no key update`,
    [memberId, gameCode],
  );
  return rows[0];
}

type Opening = Key & { provider: string; username: string; password: Buffer };

/**
 * Takes the right to open an account: makes its row, or takes over one that nobody is asking the provider for.
 * Counts the call that follows. Undefined when somebody else is at it, or it is open.
 */
export async function claimOpening(on: Queryable, wanted: Opening, leaseMs: number): Promise<GameAccount | undefined> {
  const { rows } = await on.query<GameAccount>(
    `insert into game_account as a (member_id, game_code, provider, username, password, create_calls, asking_until)
     values ($1, $2, $3, $4, $5, 1, now() + $6 * interval '1 ms')
     on conflict (member_id, game_code) do update
       set create_calls = a.create_calls + 1, asking_until = excluded.asking_until
       where a.state = 'OPENING' and (a.asking_until is null or a.asking_until < now())
     returning ${ACCOUNT}`,
    [wanted.memberId, wanted.gameCode, wanted.provider, wanted.username, wanted.password, leaseMs],
  );
  return rows[0];
}

/** Gives an account that isn't open yet another username, because the first belongs to somebody. */
export async function renameOpening(on: Queryable, key: Key, username: string): Promise<void> {
  await on.query(
    `update game_account set username = $3, create_calls = 1
     where member_id = $1 and game_code = $2 and state = 'OPENING'`,
    [key.memberId, key.gameCode, username],
  );
}

/** Lets go of an opening. A call that proved to have done nothing isn't counted. */
export async function releaseOpening(on: Queryable, key: Key, provedNothing: boolean): Promise<void> {
  await on.query(
    `update game_account set asking_until = null, create_calls = create_calls - $3
     where member_id = $1 and game_code = $2 and state = 'OPENING'`,
    [key.memberId, key.gameCode, provedNothing ? 1 : 0],
  );
}

/** @param login as the provider knows it; the password sealed */
export async function markActive(
  on: Queryable,
  key: Key,
  login: { username: string; password: Buffer },
): Promise<void> {
  await on.query(
    `update game_account set state = 'ACTIVE', activated_at = now(), asking_until = null, username = $3, password = $4
     where member_id = $1 and game_code = $2 and state = 'OPENING'`,
    [key.memberId, key.gameCode, login.username, login.password],
  );
}

export async function markReplyLost(on: Queryable, key: Key): Promise<void> {
  await on.query(
    `update game_account set reply_lost_at = now() where member_id = $1 and game_code = $2 and state = 'ACTIVE'`,
    [key.memberId, key.gameCode],
  );
}

/** Whether the activation's answer was lost in the last minute. Tells so once. */
export async function takeLostReply(on: Queryable, key: Key): Promise<boolean> {
  const { rowCount } = await on.query(
    `update game_account set reply_lost_at = null
     where member_id = $1 and game_code = $2 and reply_lost_at > now() - interval '1 minute'`,
    [key.memberId, key.gameCode],
  );
  return rowCount > 0;
}

/**
 * Puts down the password that is about to be sent. False when there was a reset in the last minute, or one whose outcome
 * isn't known.
 */
export async function claimReset(on: Queryable, key: Key, passwordNext: Buffer): Promise<boolean> {
  const { rowCount } = await on.query(
    `update game_account set password_next = $3, password_reset_at = now()
     where member_id = $1 and game_code = $2 and state = 'ACTIVE' and password_next is null
       and (password_reset_at is null or password_reset_at < now() - interval '1 minute')`,
    [key.memberId, key.gameCode, passwordNext],
  );
  return rowCount > 0;
}

/** The new password is the password. */
export async function keepNextPassword(on: Queryable, key: Key, passwordNext: Buffer): Promise<void> {
  await on.query(
    `update game_account set password = password_next, password_next = null
     where member_id = $1 and game_code = $2 and password_next = $3`,
    [key.memberId, key.gameCode, passwordNext],
  );
}

/**
 * The same, when it was set once more beside a reset that may still be under way. That one may have been refused
 * meanwhile, and have dropped what the provider holds by now.
 */
export async function keepSettledPassword(
  on: Queryable,
  { memberId, gameCode, password }: Key & { password: Buffer },
  passwordNext: Buffer,
): Promise<void> {
  await on.query(
    `update game_account set password = $3, password_next = null
     where member_id = $1 and game_code = $2
       and (password_next = $3 or (password_next is null and password = $4))`,
    [memberId, gameCode, passwordNext, password],
  );
}

/** The provider refused: the old password stays, and the minute isn't used up. */
export async function dropNextPassword(on: Queryable, key: Key, passwordNext: Buffer): Promise<void> {
  await on.query(
    `update game_account set password_next = null, password_reset_at = null
     where member_id = $1 and game_code = $2 and password_next = $3`,
    [key.memberId, key.gameCode, passwordNext],
  );
}

export async function insertReveal(
  on: Queryable,
  account: GameAccount,
  action: 'activate' | 'account' | 'reset' | 'launch',
  trace: Trace,
): Promise<void> {
  await on.query(
    `insert into game_reveal (member_id, game_code, username, action, request_id, address)
     values ($1, $2, $3, $4, $5, $6)`,
    [account.memberId, account.gameCode, account.username, action, trace.requestId, trace.address],
  );
}

/** The providers of these games didn't answer a refresh: what we know is old. */
export async function markStale(on: Queryable, memberId: string, gameCodes: readonly string[]): Promise<void> {
  await on.query('update game_account set is_stale = true where member_id = $1 and game_code = any($2)', [
    memberId,
    gameCodes,
  ]);
}

/** Writes down what a refresh found besides the cash. */
export async function markRefreshed(
  on: Queryable,
  key: Key,
  bets: { outstanding: Minor; turnover: Minor | null },
): Promise<void> {
  await on.query(
    `update game_account set is_stale = false, version = version + 1, refreshed_at = now(), outstanding = $3, turnover = $4
     where member_id = $1 and game_code = $2`,
    [key.memberId, key.gameCode, bets.outstanding, bets.turnover],
  );
}

/** Reserves the account for one transfer. False when another is under way. */
export async function occupyAccount(tx: Tx, key: Key, reference: string): Promise<boolean> {
  const { rowCount } = await tx.query(
    `update game_account set busy_with = $3, version = version + 1
     where member_id = $1 and game_code = $2 and state = 'ACTIVE' and busy_with is null`,
    [key.memberId, key.gameCode, reference],
  );
  return rowCount > 0;
}

/** Ends the reservation; `knowsBalance` when the transfer's answer told how much is there. */
export async function freeAccount(tx: Tx, key: Key, reference: string, knowsBalance: boolean): Promise<void> {
  await tx.query(
    `update game_account set busy_with = null, version = version + 1, is_stale = is_stale and not $4,
       refreshed_at = case when $4 then now() else refreshed_at end
     where member_id = $1 and game_code = $2 and busy_with = $3`,
    [key.memberId, key.gameCode, reference, knowsBalance],
  );
}
