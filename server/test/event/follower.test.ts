import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MemberEvent } from '@krapao/contract/events';
import { minor } from '@krapao/contract/money';
import type { LedgerEvent } from '../../src/ledger/index.ts';
import { BACKLOG_MAX, Follower, type FollowerOptions, type FollowerSender } from '../../src/modules/event/follower.ts';

const event = (operationId: bigint): LedgerEvent => ({
  operationId,
  memberId: 'm',
  type: 'transfer',
  kind: 'deposit',
  state: 'SUCCESS',
  reference: `R${operationId}`,
  amount: minor(100n),
  at: new Date(0),
});

const ids = (count: number): bigint[] => Array.from({ length: count }, (_, index) => BigInt(index + 1));

/** A follower of a ledger that the test controls. */
function follow(
  books: bigint[],
  changes: { sender?: Partial<FollowerSender>; onRead?: () => void; since?: bigint } = {},
) {
  const sent: bigint[] = [];
  const happened = { dropped: false, troubles: 0, reads: 0 };
  const options: FollowerOptions = {
    memberId: 'm',
    since: changes.since ?? 0n,
    ledger: {
      eventsSince: async (_member, since, limit = 0) => {
        happened.reads += 1;
        const found = books.filter((id) => id > since).toSorted((a, b) => (a < b ? -1 : 1));
        changes.onRead?.();
        return found.slice(0, limit).map(event);
      },
    },
    sender: {
      send: ({ sequence }: MemberEvent) => void sent.push(BigInt(sequence)),
      backlog: () => 0,
      drained: async () => {},
      drop: () => {
        happened.dropped = true;
      },
      ...changes.sender,
    },
    onError: () => {
      happened.troubles += 1;
    },
  };
  return { follower: new Follower(options), sent, happened };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test('an event that happens while the missed ones are read comes after them, once', async () => {
  const books = ids(3);
  const tell = (id: bigint): void => follower.notify(event(id));
  const { follower, sent } = follow(books, {
    // Committed after this read took its snapshot, announced before it ended.
    onRead: () => {
      if (books.length > 3) return;
      books.push(4n);
      tell(4n);
    },
  });
  await follower.start();
  tell(4n);
  books.push(5n);
  tell(5n);
  tell(5n);
  await settled();
  assert.deepEqual(sent, [1n, 2n, 3n, 4n, 5n]);
});

test('events of two processes that arrive out of order are delivered in order', async () => {
  const books: bigint[] = [];
  const { follower, sent } = follow(books);
  await follower.start();
  books.push(11n, 12n);
  follower.notify(event(12n));
  await settled();
  follower.notify(event(11n));
  await settled();
  assert.deepEqual(sent, [11n, 12n]);
});

test('an event that was committed after a later one is sent once, and not lost', async () => {
  const books = [12n];
  const { follower, sent } = follow(books);
  await follower.start();
  books.push(11n);
  follower.notify(event(11n));
  follower.notify(event(11n));
  follower.notify(event(12n));
  await settled();
  assert.deepEqual(sent, [12n, 11n]);
});

test('an event that the app has seen is not sent again, however late the ledger announces it', async () => {
  const { follower, sent } = follow(ids(9), { since: 7n });
  await follower.start();
  for (const id of ids(9)) follower.notify(event(id));
  await settled();
  assert.deepEqual(sent, [8n, 9n]);
});

test('a socket that doesn’t read is dropped instead of filling the memory', async () => {
  const books: bigint[] = [];
  let backlog = 0;
  const { follower, sent, happened } = follow(books, {
    sender: { backlog: () => backlog, drained: () => Promise.reject(new Error('the client does not read')) },
  });
  await follower.start();
  backlog = BACKLOG_MAX + 1;
  books.push(1n);
  follower.notify(event(1n));
  await settled();
  books.push(2n);
  follower.notify(event(2n));
  await settled();
  assert.deepEqual([happened.dropped, happened.troubles, sent], [true, 1, [1n]]);
});

test('a long past is sent in pieces that wait for the other side', async () => {
  const waits: number[] = [];
  const { follower, sent } = follow(ids(650), { sender: { drained: async () => void waits.push(sent.length) } });
  await follower.start();
  assert.deepEqual(sent, ids(650));
  assert.deepEqual(waits, [200, 400, 600]);
});

test('many events at the same moment are one reading', async () => {
  const books: bigint[] = [];
  const { follower, sent, happened } = follow(books);
  await follower.start();
  for (const id of ids(100)) {
    books.push(id);
    follower.notify(event(id));
  }
  await settled();
  assert.equal(sent.length, 100);
  assert.ok(happened.reads <= 3, `${happened.reads} readings`);
});

test('a socket that was stopped is sent nothing more', async () => {
  const books: bigint[] = [];
  const { follower, sent } = follow(books);
  await follower.start();
  follower.leave();
  books.push(1n);
  follower.notify(event(1n));
  await settled();
  assert.deepEqual(sent, []);
});
