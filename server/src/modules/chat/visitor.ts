import { timingSafeEqual } from 'node:crypto';
import { GUEST_ID } from '@krapao/contract/events';
import type { Queryable } from '../../platform/database/database.ts';
import type { Caller } from '../../platform/http/caller-address.ts';
import type { Customer, GuestCredentials } from '../../platform/http/caller.ts';
import { hashToken, newToken } from '../../platform/ids.ts';
import { Refusal } from '../../platform/errors.ts';
import { countHit } from '../lookup/index.ts';
import type { ChatDeps } from './chat.ts';
import { findSecretHash, insertVisitor, isVisitor } from './queries.ts';

type VisitorDeps = Pick<ChatDeps, 'database' | 'operatorData' | 'rateLimits'>;

/** What an unknown guest-id is compared with: no secret has this hash. */
const NOBODY = Buffer.alloc(hashToken('').length);

/** Whether a guest-id has this secret. */
export async function isSecretOf(database: Queryable, { guestId, secret }: GuestCredentials): Promise<boolean> {
  const known = await findSecretHash(database, guestId);
  const isRight = timingSafeEqual(hashToken(secret), known ?? NOBODY);
  return Boolean(known) && isRight;
}

/** Whether a guest-id alone is proof: no secret was ever given for it. */
export async function isSecretlessGuest(database: Queryable, guestId: string): Promise<boolean> {
  return GUEST_ID.test(guestId) && !(await findSecretHash(database, guestId));
}

/**
 * The visitor that a call without an Authorization header names. An id that was given a secret is refused without it.
 * @throws {Refusal} KEY_MISSING; KEY_INVALID for what is no guest-id; REQUEST_LIMIT for an address that keeps trying
 */
export async function identifyVisitor(
  deps: VisitorDeps,
  { userId, guestId }: { userId: string; guestId: string },
  group: string,
): Promise<Customer> {
  if (userId !== '' || guestId === '') throw new Refusal('KEY_MISSING', { detail: 'AUTHORIZATION' });
  if (await isSecretlessGuest(deps.database, guestId)) return { kind: 'visitor', id: guestId };
  await countHit(deps, 'chat.secret.address', group);
  if (!GUEST_ID.test(guestId)) throw new Refusal('KEY_INVALID', { detail: 'GUEST' });
  throw new Refusal('KEY_MISSING', { detail: 'GUEST_SECRET' });
}

/**
 * Registers the visitor of a guest-id without a secret, before their first message: no secret is issued for the id
 * afterwards, so it stays theirs.
 * @throws {Refusal} KEY_MISSING when a secret was issued concurrently; REQUEST_LIMIT for an address with too many new
 *   visitors
 */
export async function registerSecretlessGuest(deps: VisitorDeps, guestId: string, group: string): Promise<void> {
  if (await isVisitor(deps.database, guestId)) return;
  await countHit(deps, 'chat.visitor.address', group);
  await insertVisitor(deps.database, guestId, null);
  if (!(await isSecretlessGuest(deps.database, guestId))) throw new Refusal('KEY_MISSING', { detail: 'GUEST_SECRET' });
}

/**
 * The visitor of a guest-id and its secret. An unknown guest-id, a wrong secret and malformed credentials are refused
 * alike, so that the answer does not reveal which guest-ids exist.
 * @throws {Refusal} KEY_INVALID; REQUEST_LIMIT for an address with too many attempts
 */
export async function authenticateVisitor(
  deps: VisitorDeps,
  pass: GuestCredentials,
  { group }: Pick<Caller, 'group'>,
): Promise<Customer> {
  if (await isSecretOf(deps.database, pass)) return { kind: 'visitor', id: pass.guestId };
  await countHit(deps, 'chat.secret.address', group);
  throw new Refusal('KEY_INVALID', { detail: 'GUEST' });
}

/**
 * Issues the secret of a new guest-id, once. @returns null for a guest-id that already has one; a caller without it
 * learns nothing more
 * @throws {Refusal} REQUEST_LIMIT for an address with too many new ones
 */
export async function registerVisitor(deps: VisitorDeps, guestId: string, group: string): Promise<string | null> {
  if (await isVisitor(deps.database, guestId)) return null;
  await countHit(deps, 'chat.visitor.address', group);
  const secret = newToken();
  return (await insertVisitor(deps.database, guestId, hashToken(secret))) ? secret : null;
}
