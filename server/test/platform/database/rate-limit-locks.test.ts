import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { systemClock } from '../../../src/platform/time.ts';
import { outsideTransaction } from '../../../src/platform/database/database.ts';
import { createRateLimits, type RateLimits } from '../../../src/platform/http/rate-limit.ts';
import { until } from '../../deposit/qrcode/qr-fixtures.ts';
import { type FreshDatabase, freshDatabase } from '../../harness/fresh-database.ts';
import { lockWaits } from '../../harness/lock-waits.ts';

let fresh: FreshDatabase;
let limits: RateLimits;
before(async () => {
  fresh = await freshDatabase();
  limits = createRateLimits(fresh.database, systemClock);
});
after(() => fresh.drop());

const waitingForLocks = () => outsideTransaction(() => lockWaits(fresh.database));

test('clearing limits and hits of other processes never wait for each other in a circle', async () => {
  // In the table the last key comes first.
  const [last, first] = ['order:b', 'order:a'].map((key) => ({ key, max: 9, windowSeconds: 60 }));
  assert.ok(last && first);
  await limits.hit(last);
  await limits.hit(first);
  let cleared: Promise<void> | undefined;
  await fresh.database.tx(async (tx) => {
    const hold = (key: string) => tx.query(`select from rate_limit where key = $1 for update nowait`, [key]);
    await hold(first.key);
    cleared = outsideTransaction(() => limits.clear(last.key, first.key));
    await until(waitingForLocks, (count) => count === 1, 'the clearing waits');
    await hold(last.key);
  });
  await cleared;
  assert.deepEqual(await Promise.all([limits.used(last), limits.used(first)]), [0, 0]);
});

test('the sweep leaves what a caller is counting just now for the next one, and waits for no lock', async () => {
  const [idle, busy] = ['idle', 'busy'].map((key) => ({ key: `sweep:${key}`, max: 9, windowSeconds: 60 }));
  assert.ok(idle && busy);
  await limits.hit(idle, busy);
  await fresh.database.query(`update rate_limit set window_start = 'epoch' where key like 'sweep:%'`);
  const left = () => fresh.database.query<{ key: string }>(`select key from rate_limit where key like 'sweep:%'`);
  await fresh.database.tx(async (tx) => {
    await tx.query('select from rate_limit where key = $1 for no key update', [busy.key]);
    await outsideTransaction(() => limits.sweep());
  });
  assert.deepEqual((await left()).rows, [{ key: busy.key }]);
  await limits.sweep();
  assert.equal((await left()).rowCount, 0);
});
