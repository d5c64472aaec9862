import * as endpoints from '@krapao/contract/endpoints/notification';
import { areUsableKeys } from '../../adapters/push.ts';
import { Refusal } from '../../platform/errors.ts';
import type { Member } from '../../platform/http/caller.ts';
import { route } from '../../platform/http/route.ts';
import { uuidV7 } from '../../platform/ids.ts';
import { type NotificationDeps, toWireNotice } from './notification.ts';
import {
  countOtherSubscriptions,
  deleteSubscription,
  findSubscription,
  lockSubscriptions,
  type PushSubscription,
  saveSubscription,
} from './push-queries.ts';
import { markRead, selectNotices } from './queries.ts';

/** Browsers of a member that get push messages. */
const SUBSCRIPTIONS_MAX = 10;
/** Attempts to store an endpoint that another session stores concurrently. */
const SAVE_ATTEMPTS = 3;

const DONE = { status: 200, body: { message: 'OK' } } as const;

export function notificationRoutes(deps: NotificationDeps): void {
  noticeRoutes(deps);
  pushRoutes(deps);
}

function noticeRoutes({ app, database }: NotificationDeps): void {
  route(app, endpoints.listNotices, async ({ member, body }) => {
    const { notices, next, ...counts } = await selectNotices(database, member.id, body);
    return { status: 200, body: { ...counts, notices: notices.map(toWireNotice), ...(next && { next }) } };
  });
  route(app, endpoints.readNotices, async ({ member, body }) => {
    await markRead(database, member.id, { from: BigInt(body.from ?? 0), until: BigInt(body.until) });
    return DONE;
  });
}

function pushRoutes(deps: NotificationDeps): void {
  const { app, database, push } = deps;
  route(app, endpoints.getPushKey, async () => ({ status: 200, body: { publicKey: push?.publicKey ?? null } }));
  route(app, endpoints.getPushSubscription, async ({ member }) => {
    const subscription = await findSubscription(database, sessionHashOf(member));
    return { status: 200, body: { subscription: subscription ?? null } };
  });
  route(app, endpoints.subscribeToPush, async ({ member, body }) => {
    if (!push) throw new Refusal('NO_DATA', { detail: 'NO_PUSH' });
    const endpoint = push.endpointOf(body.endpoint);
    if (endpoint === undefined) throw new Refusal('INVALID_USER_INFO', { detail: 'ENDPOINT' });
    const keys = { p256dh: Buffer.from(body.keys.p256dh, 'base64url'), auth: Buffer.from(body.keys.auth, 'base64url') };
    if (!areUsableKeys(keys)) throw new Refusal('INVALID_USER_INFO', { detail: 'KEYS' });
    const { language, kinds, withAmounts } = body;
    const chosen = { endpoint, ...keys, language, kinds: [...new Set(kinds)], withAmounts };
    return { status: 200, body: { id: await subscribe(deps, member, chosen) } };
  });
  route(app, endpoints.unsubscribeFromPush, async ({ member, body }) => {
    await deleteSubscription(database, member.id, push?.endpointOf(body.endpoint) ?? body.endpoint);
    return DONE;
  });
}

const sessionHashOf = ({ sessionId }: Member): Buffer => Buffer.from(sessionId, 'hex');

async function subscribe(
  { database, clock }: NotificationDeps,
  member: Member,
  chosen: Omit<PushSubscription, 'id' | 'memberId' | 'sessionHash'>,
): Promise<string> {
  const now = clock.now();
  const subscription = { ...chosen, id: uuidV7(now), memberId: member.id, sessionHash: sessionHashOf(member) };
  for (let attempt = 0; attempt < SAVE_ATTEMPTS; attempt += 1) {
    const id = await database.tx(async (tx) => {
      await lockSubscriptions(tx, member.id);
      if ((await countOtherSubscriptions(tx, subscription, now)) >= SUBSCRIPTIONS_MAX) {
        throw new Refusal('REQUEST_LIMIT', { detail: 'SUBSCRIPTIONS' });
      }
      return saveSubscription(tx, subscription, now);
    });
    if (id !== undefined) return id;
  }
  throw new Refusal('REQUEST_LIMIT', { detail: 'BUSY', retryAfterSeconds: 1 });
}
