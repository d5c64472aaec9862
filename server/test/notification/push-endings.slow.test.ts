import assert from 'node:assert/strict';
import { createECDH } from 'node:crypto';
import { after, before, beforeEach, test } from 'node:test';
import type { Ledger } from '../../src/ledger/index.ts';
import { waitUntil } from '../deposit/qrcode/qr-fixtures.ts';
import { registerMember, type TestMember } from '../harness/members.ts';
import { createTestLedger, fundWallet } from '../harness/money.ts';
import { injectFault } from '../harness/operator.ts';
import { startSystem, type System } from '../harness/system.ts';
import { countSubscriptions, receivedPushes, subscribeBrowser, waitForPushes } from './push-fixtures.ts';

let system: System;
let ledger: Ledger;
before(async () => {
  system = await startSystem();
  ledger = createTestLedger(system);
});
beforeEach(() => system.simulatorsApi('DELETE /control/faults?target=push'));
after(async () => {
  await ledger.close();
  await system.stop();
});

const deposit = (member: TestMember): Promise<void> => fundWallet(ledger, member.id, '500');

test("a push service's reason that the subscription is gone ends it under any status [R-WALLET-07]", async () => {
  const member = await registerMember(system);
  await subscribeBrowser(system, member);
  await injectFault(system, { target: 'push', fault: 'unregistered' });
  await deposit(member);
  await waitUntil(
    () => countSubscriptions(system, member),
    (count) => count === 0,
    'the subscription is forgotten',
  );
});

/** Tries of push messages with an outcome, as counted for monitoring. */
async function countTries(outcome: string): Promise<number> {
  const text = await (await fetch(`${system.url}/metrics`)).text();
  return text
    .split('\n')
    .filter((line) => line.startsWith('krapao_push_messages_total{') && line.includes(`outcome="${outcome}"`))
    .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

test('a subscription under another key, or at an address no longer in the outside file, is kept with its message waiting [R-WALLET-07]', async () => {
  const [otherKey, otherAddress] = await Promise.all([registerMember(system), registerMember(system)]);
  const publicKey = createECDH('prime256v1').generateKeys('base64url');
  const { body: browser } = await system.simulatorsApi('POST /push/subscriptions', { body: { publicKey } });
  await subscribeBrowser(system, otherKey, browser);
  const { endpoint } = await subscribeBrowser(system, otherAddress);
  const moveTo = (from: string, to: string) =>
    system.database.query('update push_subscription set endpoint = $2 where endpoint = $1', [from, to]);
  const unknownEndpoint = endpoint.replace(/^http:..[^/]+/, 'https://push.example.com');
  await moveTo(endpoint, unknownEndpoint);
  const refusedBefore = await countTries('refused');
  await Promise.all([deposit(otherKey), deposit(otherAddress)]);
  await waitUntil(
    () => countTries('refused'),
    (count) => count >= refusedBefore + 2,
    'both messages are refused',
  );
  for (const member of [otherKey, otherAddress]) assert.equal(await countSubscriptions(system, member), 1);
  // The outside file names the address again.
  await moveTo(unknownEndpoint, endpoint);
  await waitForPushes(system, endpoint, 1);
  assert.deepEqual(await receivedPushes(system, browser.endpoint), []);
  await system.database.query('delete from push_subscription where member_id = $1', [otherKey.id]);
});

test('if a push service ends many subscriptions within an hour, five are deleted, and the others wait [R-WALLET-07]', async () => {
  await system.database.query('delete from push_ending');
  const members = await Promise.all(Array.from({ length: 8 }, () => registerMember(system)));
  for (const member of members) {
    const { endpoint } = await subscribeBrowser(system, member);
    await system.simulatorsApi('DELETE /push/subscriptions', { body: { endpoint } });
  }
  const countKept = async (): Promise<number> =>
    (await Promise.all(members.map((member) => countSubscriptions(system, member)))).reduce(
      (sum, count) => sum + count,
    );
  const keptBefore = await countTries('kept');
  await Promise.all(members.map((member) => deposit(member)));
  await waitUntil(
    () => countTries('kept'),
    (count) => count >= keptBefore + 3,
    'three endings are held back',
  );
  assert.equal(await countKept(), 3);
  await system.database.query(`update push_ending set at = at - interval '61 minutes'`);
  await system.database.query('update push_outbox set work_at = now()');
  await waitUntil(countKept, (count) => count === 0, 'they end in the next hour');
});
