import assert from 'node:assert/strict';
import type { RequestBodyOf } from '@krapao/contract/endpoint';
import { pushKinds, type subscribeToPush } from '@krapao/contract/endpoints/notification';
import { waitUntil } from '../deposit/qrcode/qr-fixtures.ts';
import type { ApiReply } from '../harness/api-client.ts';
import type { TestMember } from '../harness/members.ts';
import type { System } from '../harness/system.ts';

type SystemClients = Pick<System, 'api' | 'simulatorsApi'>;
type TokenHolder = Pick<TestMember, 'token'>;
export type SubscriptionBody = RequestBodyOf<typeof subscribeToPush>;

/** A browser of the simulated push service that subscribed with the installation's key. */
export async function newBrowser(
  { api, simulatorsApi }: SystemClients,
  { token }: TokenHolder,
): Promise<Pick<SubscriptionBody, 'endpoint' | 'keys'>> {
  const { publicKey } = (await api('GET /api/push/key', { token })).body;
  const { status, body } = await simulatorsApi('POST /push/subscriptions', { body: { publicKey } });
  assert.equal(status, 201, JSON.stringify(body));
  return body;
}

export const subscribe = ({ api }: SystemClients, { token }: TokenHolder, body: unknown): Promise<ApiReply> =>
  api('PUT /api/push/subscription', { token, body });

/** Subscribes a new browser to every kind. @returns the body of the call */
export async function subscribeBrowser(
  system: SystemClients,
  member: TokenHolder,
  choice: Partial<SubscriptionBody> = {},
): Promise<SubscriptionBody> {
  const browser = await newBrowser(system, member);
  const body: SubscriptionBody = { ...browser, language: 'en', kinds: [...pushKinds], withAmounts: false, ...choice };
  const reply = await subscribe(system, member, body);
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return body;
}

export type ReceivedPush = {
  at: string;
  ttl: number;
  urgency: string;
  topic: string;
  subject: string;
  payload: { web_push: number; notification: Record<string, unknown> } | null;
};

/** What a browser has received and decrypted, oldest first. */
export async function receivedPushes({ simulatorsApi }: SystemClients, endpoint: string): Promise<ReceivedPush[]> {
  return (await simulatorsApi(`GET /push/messages?endpoint=${encodeURIComponent(endpoint)}`)).body;
}

export const waitForPushes = (system: SystemClients, endpoint: string, count: number): Promise<ReceivedPush[]> =>
  waitUntil(
    () => receivedPushes(system, endpoint),
    (pushes) => pushes.length >= count,
    `${count} messages are received`,
  );

export type NoticesBody = {
  total: number;
  unread: number;
  notices: {
    id: string;
    kind: string;
    at: string;
    reference: string;
    facts: object;
    isRead: boolean;
    target: string;
  }[];
};

export const readNotices = async ({ api }: Pick<System, 'api'>, { token }: TokenHolder): Promise<NoticesBody> =>
  (await api('POST /api/notices', { token, body: { page: 1, limit: 100 } })).body;

export const waitForNotices = (system: Pick<System, 'api'>, member: TokenHolder, count: number): Promise<NoticesBody> =>
  waitUntil(
    () => readNotices(system, member),
    ({ total }) => total >= count,
    `${count} notices are listed`,
  );

/** Waits until every batch of the ledger is followed and every message is sent. */
export async function waitUntilNotified({ database }: Pick<System, 'database'>): Promise<void> {
  const countWaiting = async (): Promise<number> => {
    const { rows } = await database.query<{ waiting: number }>(
      `select (select count(*) from ledger.lane l left join notification_cursor c on c.lane = l.id
                where l.last_batch > coalesce(c.batch, 0))::int + (select count(*) from push_outbox)::int as waiting`,
    );
    return rows[0]?.waiting ?? 0;
  };
  await waitUntil(countWaiting, (count) => count === 0, 'all notices are sent');
}

/** Number of the member's subscriptions. */
export async function countSubscriptions({ database }: Pick<System, 'database'>, { id }: TestMember): Promise<number> {
  const { rows } = await database.query<{ count: number }>(
    'select count(*)::int as count from push_subscription where member_id = $1',
    [id],
  );
  return rows[0]?.count ?? 0;
}
