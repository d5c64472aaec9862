import type { SealedColumn } from '../../platform/crypto/reencrypt.ts';
import type { Queryable } from '../../platform/database/database.ts';
import { type CredentialViewer, type GameAccount, sealContext } from './game.ts';

type AccountKey = Pick<GameAccount, 'memberId' | 'gameCode'>;

// No opening or reset is in flight: their calls later write the password that they have read.
const NO_CALL_IN_FLIGHT_SQL = `not (state = 'OPENING' and asking_until > now())
  and not (password_next is not null and password_reset_at > now() - interval '10 minutes')`;

/** Password columns of game accounts, for re-encryption with a new key. */
export const sealedPasswords: readonly SealedColumn[] = ['password', 'password_next'].map((column) => ({
  table: 'game_account',
  column,
  key: [
    ['member_id', 'uuid'],
    ['game_code', 'text'],
  ],
  context: ([memberId = '', gameCode = '']) => sealContext({ memberId, gameCode }),
  idle: NO_CALL_IN_FLIGHT_SQL,
}));

/**
 * Stores the next password before the provider's call. `replacedPassword`: the stored next password to overwrite.
 * @returns false after a reset in the last minute, or while another reset's outcome is unknown
 */
export async function claimReset(
  on: Queryable,
  key: AccountKey,
  passwordNext: Buffer,
  replacedPassword: Buffer | null,
): Promise<boolean> {
  const { rowCount } = await on.query(
    `update game_account set password_next = $3, password_reset_at = now()
     where member_id = $1 and game_code = $2 and state = 'ACTIVE' and password_next is not distinct from $4
       and (password_reset_at is null or password_reset_at < now() - interval '1 minute')`,
    [key.memberId, key.gameCode, passwordNext, replacedPassword],
  );
  return rowCount > 0;
}

/** Makes the next password the current one. */
export async function saveNextPassword(on: Queryable, key: AccountKey, passwordNext: Buffer): Promise<void> {
  await on.query(
    `update game_account set password = password_next, password_next = null
     where member_id = $1 and game_code = $2 and password_next = $3`,
    [key.memberId, key.gameCode, passwordNext],
  );
}

/**
 * Makes the next password current after its reset was repeated. A concurrent reset may have dropped it although the
 * provider accepted it.
 */
export async function saveSettledPassword(
  on: Queryable,
  { memberId, gameCode, password }: AccountKey & { password: Buffer },
  passwordNext: Buffer,
): Promise<void> {
  await on.query(
    `update game_account set password = $3, password_next = null
     where member_id = $1 and game_code = $2
       and (password_next = $3 or (password_next is null and password = $4))`,
    [memberId, gameCode, passwordNext, password],
  );
}

/** Undoes a refused reset. The refused reset does not count towards the limit of one per minute. */
export async function dropNextPassword(
  on: Queryable,
  key: AccountKey,
  passwordNext: Buffer,
  replacedPassword: Buffer | null,
): Promise<void> {
  await on.query(
    `update game_account set password_next = $4, password_reset_at = null
     where member_id = $1 and game_code = $2 and password_next = $3`,
    [key.memberId, key.gameCode, passwordNext, replacedPassword],
  );
}

/** A password of a game account that was shown or received. */
export type Reveal = {
  at: Date;
  gameCode: string;
  username: string;
  action: string;
  address: string;
  requestId: string;
};

/** The last reveals of a member's game passwords, oldest first. */
export async function selectReveals(on: Queryable, memberId: string, limit: number): Promise<Reveal[]> {
  const { rows } = await on.query<Reveal>(
    `select at, game_code as "gameCode", username, action, address, request_id as "requestId" from (
       select * from game_reveal where member_id = $1 order by id desc limit $2) newest order by id`,
    [memberId, limit],
  );
  return rows;
}

/** Records who saw or received an account's password, for which request. */
export async function insertReveal(
  on: Queryable,
  account: GameAccount,
  action: 'activate' | 'account' | 'reset' | 'launch',
  viewer: CredentialViewer,
): Promise<void> {
  await on.query(
    `insert into game_reveal (member_id, game_code, username, action, request_id, address)
     values ($1, $2, $3, $4, $5, $6)`,
    [account.memberId, account.gameCode, account.username, action, viewer.requestId, viewer.address],
  );
}
