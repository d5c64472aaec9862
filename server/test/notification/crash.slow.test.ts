import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Ledger } from '../../src/ledger/index.ts';
import { waitUntil } from '../deposit/qrcode/qr-fixtures.ts';
import { apiClient } from '../harness/api-client.ts';
import { registerMember, type TestMember } from '../harness/members.ts';
import { createTestLedger, fundWallet } from '../harness/money.ts';
import { injectFault } from '../harness/operator.ts';
import { type ServerProcess, startServerProcess } from '../harness/server-process.ts';
import { startSystem, type System } from '../harness/system.ts';
import {
  newBrowser,
  readNotices,
  receivedPushes,
  subscribeBrowser,
  type SubscriptionBody,
  waitForPushes,
  waitUntilNotified,
} from './push-fixtures.ts';

type Subscriber = TestMember & { browser: SubscriptionBody };

let system: System;
let ledger: Ledger;
let subscribers: Subscriber[];
let interrupted: Subscriber;
/** Its browser can't decrypt messages, so the push service refuses them. */
let undecryptable: Subscriber;
const servers: ServerProcess[] = [];
before(async () => {
  system = await startSystem();
  ledger = createTestLedger(system);
  subscribers = await Promise.all([newSubscriber(), newSubscriber(), newSubscriber()]);
  interrupted = await newSubscriber();
  const member = await registerMember(system);
  const { keys } = await newBrowser(system, member);
  undecryptable = { ...member, browser: await subscribeBrowser(system, member, { keys }) };
  await system.app.close();
});
after(async () => {
  await Promise.all(servers.map((server) => server.kill()));
  await ledger.close();
  await system.stop();
});

async function newSubscriber(): Promise<Subscriber> {
  const member = await registerMember(system);
  return { ...member, browser: await subscribeBrowser(system, member) };
}

async function startServer(): Promise<ServerProcess> {
  const server = await startServerProcess(system);
  servers.push(server);
  return server;
}

test('deposits that no running server saw are listed and pushed once by two servers, also after both were killed [R-WALLET-07]', async () => {
  for (let round = 1; round <= 2; round += 1) {
    await Promise.all(subscribers.map(({ id }) => fundWallet(ledger, id, '10')));
    const started = await Promise.all([startServer(), startServer()]);
    const api = apiClient(started[0].url);
    for (const { browser } of subscribers) await waitForPushes(system, browser.endpoint, round);
    await waitUntilNotified(system);
    for (const subscriber of subscribers) {
      assert.equal((await readNotices({ api }, subscriber)).total, round);
      const pushes = await receivedPushes(system, subscriber.browser.endpoint);
      const tags = new Set(pushes.map(({ payload }) => payload?.notification['tag']));
      assert.deepEqual([pushes.length, tags.size], [round, round]);
    }
    await Promise.all(started.map((server) => server.kill()));
  }
});

test('a push whose server was killed before its outcome is sent again under the same tag and topic [R-WALLET-07]', async () => {
  const { endpoint } = interrupted.browser;
  await injectFault(system, { target: 'push', fault: 'timeout-applied' });
  await fundWallet(ledger, interrupted.id, '10');
  const killed = await startServer();
  await waitForPushes(system, endpoint, 1);
  await killed.kill();
  // The lease of the killed server has ended.
  const { rowCount } = await system.database.query('update push_outbox set work_at = now()');
  assert.equal(rowCount, 1);
  const [server] = await Promise.all([startServer(), startServer()]);
  await waitForPushes(system, endpoint, 2);
  await waitUntilNotified(system);
  const pushes = await receivedPushes(system, endpoint);
  const shown = pushes.map(({ topic, payload }) => [topic, payload?.notification['tag']].join(' '));
  assert.deepEqual([pushes.length, new Set(shown).size], [2, 1]);
  assert.equal((await readNotices({ api: apiClient(server.url) }, interrupted)).total, 1);
});

test('the log names a refused push by its subscription, without endpoint and keys [R-WALLET-07]', async () => {
  const { endpoint, keys } = undecryptable.browser;
  const server = await startServer();
  await Promise.all(servers.filter((other) => other !== server).map((other) => other.kill()));
  await fundWallet(ledger, undecryptable.id, '10');
  const log = await server.waitForLog(/push service refused a message/);
  assert.match(log, /"subscriptionId":"[-0-9a-f]{36}".*HTTP 400/);
  for (const secret of [endpoint, new URL(endpoint).pathname, keys.p256dh, keys.auth]) {
    assert.ok(!log.includes(secret), secret);
  }
});

test('a text message whose server was killed before the gateway replied is sent by the next one, and arrives once [R-OPS-08]', async () => {
  await Promise.all(servers.map((other) => other.kill()));
  const { id, phone } = interrupted;
  await injectFault(system, { target: 'sms', fault: 'timeout-applied' });
  await system.database.query(`insert into wallet_suspension (member_id, reason) values ($1, 'under review')`, [id]);
  const killed = await startServer();
  const readSms = async () =>
    (await system.simulatorsApi(`GET /phone/messages?to=${phone}`)).body as { ref: string | null }[];
  const countSms = async (): Promise<number> => (await readSms()).filter(({ ref }) => ref === null).length;
  await waitUntil(countSms, (count) => count === 1, 'the gateway has taken it');
  await killed.kill();
  await Promise.all([startServer(), startServer()]);
  const isSent = async (): Promise<boolean> =>
    (await system.database.query('select from notification_sms where member_id = $1 and sent_at is not null', [id]))
      .rowCount > 0;
  await waitUntil(isSent, Boolean, 'another server knows that it is sent');
  assert.equal(await countSms(), 1);
});
