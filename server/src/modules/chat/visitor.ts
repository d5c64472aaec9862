import { timingSafeEqual } from 'node:crypto';
import { GUEST_ID } from '@krapao/contract/events';
import type { Queryable } from '../../platform/database/database.ts';
import { Refusal } from '../../platform/errors.ts';
import type { Caller } from '../../platform/http/caller-address.ts';
import type { Customer, VisitorCredentials } from '../../platform/http/caller.ts';
import { hashToken, newToken } from '../../platform/ids.ts';
import { countHit } from '../operator-data/index.ts';
import type { ChatDeps } from './chat.ts';
import { findSecretHash, insertVisitor, isVisitor } from './queries.ts';

type VisitorDeps = Pick<ChatDeps, 'database' | 'readOperatorData' | 'rateLimits'>;

/** Compared for an unknown guest-id: no secret has this hash. */
const UNKNOWN_VISITOR_HASH = Buffer.alloc(hashToken('').length);

export async function isVisitorSecretValid(
  database: Queryable,
  { guestId, secret }: VisitorCredentials,
): Promise<boolean> {
  const storedHash = await findSecretHash(database, guestId);
  const isMatch = timingSafeEqual(hashToken(secret), storedHash ?? UNKNOWN_VISITOR_HASH);
  return Boolean(storedHash) && isMatch;
}

/** Whether the guest-id alone authenticates: no secret was ever issued for it. */
export async function isSecretlessVisitor(database: Queryable, guestId: string): Promise<boolean> {
  return GUEST_ID.test(guestId) && !(await findSecretHash(database, guestId));
}

/**
 * Identifies the visitor of a call without an Authorization header. A guest-id with an issued secret is refused.
 * @throws {Refusal} KEY_MISSING; KEY_INVALID for a malformed guest-id; REQUEST_LIMIT for an address with too many
 *   attempts
 */
export async function identifyVisitor(
  deps: VisitorDeps,
  { userId, guestId }: { userId: string; guestId: string },
  group: string,
): Promise<Customer> {
  if (userId !== '' || guestId === '') throw new Refusal('KEY_MISSING', { detail: 'AUTHORIZATION' });
  if (await isSecretlessVisitor(deps.database, guestId)) return { kind: 'visitor', id: guestId };
  await countHit(deps, 'chat.secret.address', group);
  if (!GUEST_ID.test(guestId)) throw new Refusal('KEY_INVALID', { detail: 'GUEST' });
  throw new Refusal('KEY_MISSING', { detail: 'GUEST_SECRET' });
}

/**
 * Registers the visitor of a guest-id without a secret, before their first message. No secret is issued for the
 * guest-id afterwards, so another caller cannot take it.
 * @throws {Refusal} KEY_MISSING when a secret was issued concurrently; REQUEST_LIMIT for an address with too many new
 *   visitors
 */
export async function registerSecretlessVisitor(deps: VisitorDeps, guestId: string, group: string): Promise<void> {
  if (await isVisitor(deps.database, guestId)) return;
  await countHit(deps, 'chat.visitor.address', group);
  await insertVisitor(deps.database, guestId, null);
  if (!(await isSecretlessVisitor(deps.database, guestId)))
    throw new Refusal('KEY_MISSING', { detail: 'GUEST_SECRET' });
}

/**
 * Authenticates a visitor by guest-id and secret. An unknown guest-id, a wrong secret and malformed credentials get the
 * same refusal, so that it does not reveal which guest-ids exist.
 * @throws {Refusal} KEY_INVALID; REQUEST_LIMIT for an address with too many attempts
 */
export async function authenticateVisitor(
  deps: VisitorDeps,
  credentials: VisitorCredentials,
  { group }: Pick<Caller, 'group'>,
): Promise<Customer> {
  if (await isVisitorSecretValid(deps.database, credentials)) return { kind: 'visitor', id: credentials.guestId };
  await countHit(deps, 'chat.secret.address', group);
  throw new Refusal('KEY_INVALID', { detail: 'GUEST' });
}

/**
 * Issues the secret of a new guest-id, once.
 * @returns null for a guest-id that already has a secret
 * @throws {Refusal} REQUEST_LIMIT for an address with too many new visitors
 */
export async function registerVisitor(deps: VisitorDeps, guestId: string, group: string): Promise<string | null> {
  if (await isVisitor(deps.database, guestId)) return null;
  await countHit(deps, 'chat.visitor.address', group);
  const secret = newToken();
  return (await insertVisitor(deps.database, guestId, hashToken(secret))) ? secret : null;
}
