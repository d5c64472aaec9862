import type { Queryable } from '../../platform/database/database.ts';
import type { SealedColumn } from '../../platform/crypto/reencrypt.ts';
import { type GameAccount, sealContext } from './game.ts';

type Key = Pick<GameAccount, 'memberId' | 'gameCode'>;

// An opening and a reset write back the bytes that they have read, for as long as calls to the provider take.
const IDLE = `not (state = 'OPENING' and asking_until > now())
  and not (password_next is not null and password_reset_at > now() - interval '10 minutes')`;

/** Passwords of game accounts, for a new encryption key. */
export const sealedPasswords: readonly SealedColumn[] = ['password', 'password_next'].map((column) => ({
  table: 'game_account',
  column,
  key: [
    ['member_id', 'uuid'],
    ['game_code', 'text'],
  ],
  context: ([memberId = '', gameCode = '']) => sealContext({ memberId, gameCode }),
  idle: IDLE,
}));

/**
 * Puts down the password that is about to be sent, in the place of `replaced`. False when there was a reset in the last
 * minute, or one whose outcome isn't known.
 */
export async function claimReset(
  on: Queryable,
  key: Key,
  passwordNext: Buffer,
  replaced: Buffer | null,
): Promise<boolean> {
  const { rowCount } = await on.query(
    `update game_account set password_next = $3, password_reset_at = now()
     where member_id = $1 and game_code = $2 and state = 'ACTIVE' and password_next is not distinct from $4
       and (password_reset_at is null or password_reset_at < now() - interval '1 minute')`,
    [key.memberId, key.gameCode, passwordNext, replaced],
  );
  return rowCount > 0;
}

/** The new password is the password. */
export async function saveNextPassword(on: Queryable, key: Key, passwordNext: Buffer): Promise<void> {
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
export async function saveSettledPassword(
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

/** The provider refused: what was there before stays, and the minute isn't used up. */
export async function dropNextPassword(
  on: Queryable,
  key: Key,
  passwordNext: Buffer,
  replaced: Buffer | null,
): Promise<void> {
  await on.query(
    `update game_account set password_next = $4, password_reset_at = null
     where member_id = $1 and game_code = $2 and password_next = $3`,
    [key.memberId, key.gameCode, passwordNext, replaced],
  );
}
