import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Refusal } from '../../../src/platform/errors.ts';
import { createRateLimits, type RateLimits } from '../../../src/platform/http/rate-limit.ts';
import { later } from '../../../src/platform/time.ts';
import { type FreshDatabase, freshDatabase } from '../../harness/fresh-database.ts';

describe('rate limits in the database', () => {
  let fresh: FreshDatabase;
  let limits: RateLimits;
  let now = new Date('2026-01-05T10:00:00Z');

  before(async () => {
    fresh = await freshDatabase();
    limits = createRateLimits(fresh.database, { now: () => now });
  });
  after(() => fresh.dropDatabase());

  const isRefusalWith = (code: string) => (error: unknown) => error instanceof Refusal && error.code === code;

  test('of many concurrent hits of a rate limit exactly the limit is allowed', async () => {
    const limit = { key: 'burst', max: 25, windowSeconds: 60 };
    const results = await Promise.allSettled(Array.from({ length: 100 }, () => limits.hit(limit)));
    assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 25);
    assert.equal(await limits.readHits(limit), 26, 'counting stops at one past the limit');
  });

  test('hits under one rate-limit key do not count for another', async () => {
    await limits.hit({ key: 'one', max: 1, windowSeconds: 60 });
    await limits.hit({ key: 'other', max: 1, windowSeconds: 60 });
    await assert.rejects(limits.hit({ key: 'one', max: 1, windowSeconds: 60 }), isRefusalWith('REQUEST_LIMIT'));
  });

  test('several limits of a call count in order, up to the first exceeded one', async () => {
    const [address, member, dayLimit] = ['address', 'member', 'day'].map((key) => ({ key, max: 9, windowSeconds: 60 }));
    assert.ok(address && member && dayLimit);
    const narrowLimit = { ...member, max: 1, code: 'REQUEST_LIMIT_1MIN' } as const;
    await limits.hit(address, narrowLimit, dayLimit);
    await assert.rejects(limits.hit(address, narrowLimit, dayLimit), isRefusalWith('REQUEST_LIMIT_1MIN'));
    assert.deepEqual(
      await Promise.all([address, narrowLimit, dayLimit].map((limit) => limits.readHits(limit))),
      [2, 2, 1],
    );
  });

  test('hits of several processes in opposite order all count without deadlock', async () => {
    const processLimits = [limits, createRateLimits(fresh.database, { now: () => now })];
    const keys = ['a', 'b', 'c', 'd'].map((key) => ({ key: `crossed:${key}`, max: 1_000, windowSeconds: 60 }));
    for (let round = 0; round < 20; round += 1) {
      await Promise.all(
        processLimits.flatMap((processLimit, index) => [
          processLimit.hit(...(index === 0 ? keys : keys.toReversed())),
          processLimit.hit(...keys.slice(index, index + 2)),
        ]),
      );
    }
    assert.deepEqual(await Promise.all(keys.map((key) => limits.readHits(key))), [60, 80, 60, 40]);
  });

  test('a rate-limit key that cannot be stored fails alone', async () => {
    const validLimit = { key: 'beside', max: 1, windowSeconds: 60 };
    const [failedHit, countedHit] = await Promise.allSettled([
      limits.hit({ ...validLimit, key: 'nul \0' }),
      limits.hit(validLimit),
    ]);
    assert.equal(failedHit.status, 'rejected');
    assert.equal(countedHit.status, 'fulfilled');
    await assert.rejects(limits.hit(validLimit), isRefusalWith('REQUEST_LIMIT'));
  });

  test('a rate-limit window starts with the first hit and ends after its seconds, which the refusal names', async () => {
    const limit = { key: 'window', max: 2, windowSeconds: 60, code: 'REQUEST_LIMIT_1MIN' } as const;
    await limits.hit(limit);
    now = later(now, 45_000);
    await limits.hit(limit);
    await assert.rejects(
      limits.hit(limit),
      (error: unknown) => isRefusalWith('REQUEST_LIMIT_1MIN')(error) && (error as Refusal).retryAfterSeconds === 15,
    );
    now = later(now, 15_000);
    await limits.hit(limit);
    assert.equal(await limits.readHits(limit), 1);
  });

  test('a clock that was temporarily ahead locks no caller out', async () => {
    const limit = { key: 'ahead', max: 1, windowSeconds: 60 };
    const limitTime = now;
    now = later(limitTime, 40 * 86_400_000);
    await limits.hit(limit);
    await assert.rejects(limits.hit(limit), isRefusalWith('REQUEST_LIMIT'));
    now = limitTime;
    assert.equal(await limits.readHits(limit), 0);
    await limits.hit(limit);
    await assert.rejects(limits.hit(limit), isRefusalWith('REQUEST_LIMIT'));
    now = later(limitTime, -5_000);
    await assert.rejects(limits.hit(limit), isRefusalWith('REQUEST_LIMIT'), 'nodes a few seconds apart share a window');
    now = limitTime;
  });

  test('a rate-limit key can be cleared, and expired ones are removed', async () => {
    const limit = { key: 'forgotten', max: 1, windowSeconds: 60 };
    await limits.hit(limit);
    await limits.clear('forgotten');
    await limits.hit(limit);
    now = later(now, 2 * 86_400_000);
    assert.ok((await limits.sweep()) > 0);
    assert.equal(await limits.sweep(), 0);
  });
});
