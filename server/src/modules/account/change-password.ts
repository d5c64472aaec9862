import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database/database.ts';
import { hashPassword, verifyPassword } from '../../platform/crypto/password.ts';
import type { RateLimits } from '../../platform/http/limits/rate-limit.ts';
import { Refusal } from '../../platform/refusal.ts';
import type { OperatorData } from '../lookup/module.ts';
import { isPasswordFit } from './account.ts';
import { selectCredentials, supersedeOtherSessions, updatePassword } from './queries.ts';

/**
 * Changes a member's password and ends their other sessions.
 * @param by the member, the hash of the token of the session that stays, and where it calls from
 * @throws {Refusal} WRONG_PASSWORD for the old one, INVALID_USER_INFO for the new one, REQUEST_LIMIT_1MIN
 */
export async function changePassword(
  { database, clock, rateLimits }: { database: Database; clock: Clock; rateLimits: RateLimits },
  data: OperatorData,
  by: { memberId: string; tokenHash: Buffer; address: string },
  typed: { oldPassword: string; newPassword: string },
): Promise<void> {
  const failures = data.limitFor('password.failure.member', by.memberId);
  await rateLimits.hit(failures);
  const member = await selectCredentials(database, { memberId: by.memberId }, by.address);
  if (!member || !(await verifyPassword(member.passwordHash, typed.oldPassword))) throw new Refusal('WRONG_PASSWORD');
  await rateLimits.clear(failures.key);
  if (!isPasswordFit(typed.newPassword, member.phone)) {
    throw new Refusal('INVALID_USER_INFO', { detail: 'newPassword' });
  }
  const passwordHash = await hashPassword(typed.newPassword);
  await database.tx(async (tx) => {
    // Of two changes at one moment the first wins; the other's old password is no longer the old password.
    if (!(await updatePassword(tx, member.id, member.passwordHash, passwordHash))) throw new Refusal('WRONG_PASSWORD');
    await supersedeOtherSessions(tx, member.id, by.tokenHash, clock.now());
  });
}
