import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MemberEvent } from '@krapao/contract/events';
import { minor } from '@krapao/contract/money';
import type { LedgerEvent } from '../../src/ledger/index.ts';
import { Follower, type FollowerOptions, type FollowerSender } from '../../src/modules/event/follower.ts';

const ledgerEvent = (operationId: bigint): LedgerEvent => ({
  operationId,
  memberId: 'm',
  type: 'transfer',
  kind: 'deposit',
  state: 'SUCCESS',
  reference: `R${operationId}`,
  amount: minor(100n),
  at: new Date(0),
});

const idsUpTo = (count: number): bigint[] => Array.from({ length: count }, (_, index) => BigInt(index + 1));

/** A follower of a ledger that the test controls. */
function startFollower(
  storedIds: bigint[],
  changes: { sender?: Partial<FollowerSender>; onRead?: () => void; since?: bigint } = {},
) {
  const sentIds: bigint[] = [];
  const counters = { dropped: false, troubles: 0, reads: 0 };
  const options: FollowerOptions = {
    memberId: 'm',
    since: changes.since ?? 0n,
    ledger: {
      eventsSince: async (_member, since, limit = 0) => {
        counters.reads += 1;
        const foundIds = storedIds.filter((id) => id > since).toSorted((a, b) => (a < b ? -1 : 1));
        changes.onRead?.();
        return foundIds.slice(0, limit).map(ledgerEvent);
      },
    },
    sender: {
      send: ({ sequence }: MemberEvent) => void sentIds.push(BigInt(sequence)),
      backlog: () => 0,
      drained: async () => {},
      drop: () => {
        counters.dropped = true;
      },
      ...changes.sender,
    },
    onError: () => {
      counters.troubles += 1;
    },
  };
  return { follower: new Follower(options), sent: sentIds, happened: counters };
}

const waitForImmediate = () => new Promise((resolve) => setImmediate(resolve));

test('an event during the reading of missed events is sent after them, once', async () => {
  const storedIds = idsUpTo(3);
  const notifyFollower = (id: bigint): void => follower.notify(ledgerEvent(id));
  const { follower, sent } = startFollower(storedIds, {
    // Committed after this read's snapshot, and announced before the read ended.
    onRead: () => {
      if (storedIds.length > 3) return;
      storedIds.push(4n);
      notifyFollower(4n);
    },
  });
  await follower.start();
  notifyFollower(4n);
  storedIds.push(5n);
  notifyFollower(5n);
  notifyFollower(5n);
  await waitForImmediate();
  assert.deepEqual(sent, [1n, 2n, 3n, 4n, 5n]);
});

test('events of two processes that arrive out of order are delivered in order', async () => {
  const storedIds: bigint[] = [];
  const { follower, sent } = startFollower(storedIds);
  await follower.start();
  storedIds.push(11n, 12n);
  follower.notify(ledgerEvent(12n));
  await waitForImmediate();
  follower.notify(ledgerEvent(11n));
  await waitForImmediate();
  assert.deepEqual(sent, [11n, 12n]);
});

test('an event committed after a later one is sent once, and is not lost', async () => {
  const storedIds = [12n];
  const { follower, sent } = startFollower(storedIds);
  await follower.start();
  storedIds.push(11n);
  follower.notify(ledgerEvent(11n));
  follower.notify(ledgerEvent(11n));
  follower.notify(ledgerEvent(12n));
  await waitForImmediate();
  assert.deepEqual(sent, [12n, 11n]);
});

test('an event that the app has received is not sent again, however late the ledger announces it', async () => {
  const { follower, sent } = startFollower(idsUpTo(9), { since: 7n });
  await follower.start();
  for (const id of idsUpTo(9)) follower.notify(ledgerEvent(id));
  await waitForImmediate();
  assert.deepEqual(sent, [8n, 9n]);
});

test('a socket that does not read is closed instead of filling the memory', async () => {
  const storedIds: bigint[] = [];
  let backlogSize = 0;
  const { follower, sent, happened } = startFollower(storedIds, {
    sender: { backlog: () => backlogSize, drained: () => Promise.reject(new Error('the client does not read')) },
  });
  await follower.start();
  backlogSize = 201;
  storedIds.push(1n);
  follower.notify(ledgerEvent(1n));
  await waitForImmediate();
  storedIds.push(2n);
  follower.notify(ledgerEvent(2n));
  await waitForImmediate();
  assert.deepEqual([happened.dropped, happened.troubles, sent], [true, 1, [1n]]);
});

test('a long history of events is sent in parts, each after the receiver has read the one before', async () => {
  const waitTimes: number[] = [];
  const { follower, sent } = startFollower(idsUpTo(650), {
    sender: { drained: async () => void waitTimes.push(sent.length) },
  });
  await follower.start();
  assert.deepEqual(sent, idsUpTo(650));
  assert.deepEqual(waitTimes, [200, 400, 600]);
});

test('many events at the same moment cause one read of the ledger', async () => {
  const storedIds: bigint[] = [];
  const { follower, sent, happened } = startFollower(storedIds);
  await follower.start();
  for (const id of idsUpTo(100)) {
    storedIds.push(id);
    follower.notify(ledgerEvent(id));
  }
  await waitForImmediate();
  assert.equal(sent.length, 100);
  assert.ok(happened.reads <= 3, `${happened.reads} readings`);
});

test('a stopped socket receives nothing more', async () => {
  const storedIds: bigint[] = [];
  const { follower, sent } = startFollower(storedIds);
  await follower.start();
  follower.leave();
  storedIds.push(1n);
  follower.notify(ledgerEvent(1n));
  await waitForImmediate();
  assert.deepEqual(sent, []);
});
