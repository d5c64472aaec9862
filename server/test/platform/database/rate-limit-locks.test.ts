import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { outsideTransaction } from '../../../src/platform/database/database.ts';
import { createRateLimits, type RateLimits } from '../../../src/platform/http/rate-limit.ts';
import { systemClock } from '../../../src/platform/time.ts';
import { waitUntil } from '../../deposit/qrcode/qr-fixtures.ts';
import { type FreshDatabase, freshDatabase } from '../../harness/fresh-database.ts';
import { countLockWaits } from '../../harness/lock-waits.ts';

let fresh: FreshDatabase;
let limits: RateLimits;
before(async () => {
  fresh = await freshDatabase();
  limits = createRateLimits(fresh.database, systemClock);
});
after(() => fresh.dropDatabase());

const countWaitingForLocks = () => outsideTransaction(() => countLockWaits(fresh.database));

test('clearing limits and hits of other processes never deadlock', async () => {
  // In the table, the last key comes first.
  const [last, first] = ['order:b', 'order:a'].map((key) => ({ key, max: 9, windowSeconds: 60 }));
  assert.ok(last && first);
  await limits.hit(last);
  await limits.hit(first);
  let pendingSweep: Promise<void> | undefined;
  await fresh.database.tx(async (tx) => {
    const lockRow = (key: string) => tx.query(`select from rate_limit where key = $1 for update nowait`, [key]);
    await lockRow(first.key);
    pendingSweep = outsideTransaction(() => limits.clear(last.key, first.key));
    await waitUntil(countWaitingForLocks, (count) => count === 1, 'the clearing waits');
    await lockRow(last.key);
  });
  await pendingSweep;
  assert.deepEqual(await Promise.all([limits.readHits(last), limits.readHits(first)]), [0, 0]);
});

test('the sweep of limits skips rows that a caller is counting, and waits for no lock', async () => {
  const [idleLimit, busyLimit] = ['idle', 'busy'].map((key) => ({ key: `sweep:${key}`, max: 9, windowSeconds: 60 }));
  assert.ok(idleLimit && busyLimit);
  await limits.hit(idleLimit, busyLimit);
  await fresh.database.query(`update rate_limit set window_start = 'epoch' where key like 'sweep:%'`);
  const readRemainingKeys = () =>
    fresh.database.query<{ key: string }>(`select key from rate_limit where key like 'sweep:%'`);
  await fresh.database.tx(async (tx) => {
    await tx.query('select from rate_limit where key = $1 for no key update', [busyLimit.key]);
    await outsideTransaction(() => limits.sweep());
  });
  assert.deepEqual((await readRemainingKeys()).rows, [{ key: busyLimit.key }]);
  await limits.sweep();
  assert.equal((await readRemainingKeys()).rowCount, 0);
});
