import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { type PollingWorkerOptions, startPollingWorker } from '../../../src/platform/jobs/polling-worker.ts';

/** No poll is due during a test: every run was triggered. */
const NEVER_MS = 600_000;

/** Rows that are due until they are claimed, and steps that the test ends. */
function createWorkerTest(count: number, options: Partial<PollingWorkerOptions<number>> = {}) {
  const dueItems = Array.from({ length: count }, (_, index) => index + 1);
  const begunItems = new Map<number, PromiseWithResolvers<void>>();
  const claimSizes: number[] = [];
  const loggedEntries: { fields: object; message: string }[] = [];
  const countedEvents: string[] = [];
  const waitingConditions: { isMet: () => boolean; resolve: () => void }[] = [];
  const checkConditions = () => {
    for (const { isMet, resolve } of waitingConditions) if (isMet()) resolve();
  };
  const job = startPollingWorker<number>({
    name: 'test',
    concurrency: 2,
    everyMs: NEVER_MS,
    claim: async (limit) => {
      claimSizes.push(limit);
      checkConditions();
      return dueItems.splice(0, limit);
    },
    handle: (row) => {
      const pendingStep = Promise.withResolvers<void>();
      begunItems.set(row, pendingStep);
      checkConditions();
      return pendingStep.promise;
    },
    failed: {
      record: async (key, error) => void countedEvents.push(`${key} failed: ${String(error)}`),
      forget: async (key) => void countedEvents.push(`${key} done`),
    },
    keyOf: String,
    log: {
      error: (fields, message) => {
        loggedEntries.push({ fields, message });
        checkConditions();
      },
      warn: () => {},
    },
    failureMessage: 'no step',
    logFields: (row) => ({ row }),
    ...options,
  });
  const waitUntil = (isMet: () => boolean): Promise<void> =>
    new Promise((resolve) => {
      waitingConditions.push({ isMet, resolve });
      checkConditions();
    });
  return {
    job,
    due: dueItems,
    begun: begunItems,
    claims: claimSizes,
    logged: loggedEntries,
    counted: countedEvents,
    until: waitUntil,
    end: (row: number) => begunItems.get(row)?.resolve(),
  };
}

test('a worker handles at most its concurrency of rows, and fills a free slot before the next poll', async () => {
  const { job, begun, claims, until, end } = createWorkerTest(5);
  await until(() => begun.size === 2);
  assert.deepEqual(claims, [2], 'both places are taken');
  end(2);
  await until(() => begun.size === 3);
  assert.deepEqual([...begun.keys()], [1, 2, 3]);
  assert.deepEqual(claims, [2, 1], 'only the free place is filled');
  end(1);
  end(3);
  await until(() => begun.size === 5);
  end(4);
  end(5);
  await job.stop();
});

test('rows that become due while all slots are taken are claimed when a slot is free', async () => {
  const { job, due, begun, claims, until, end } = createWorkerTest(1);
  await until(() => begun.has(1));
  due.push(2);
  job.wake();
  await until(() => begun.has(2));
  due.push(3);
  end(1);
  await until(() => begun.has(3));
  assert.deepEqual(claims.slice(0, 3), [2, 1, 1]);
  end(2);
  end(3);
  await job.stop();
});

test('a worker that is notified while all slots are taken claims nothing until one is free', async () => {
  const { job, due, begun, claims, until, end } = createWorkerTest(2);
  await until(() => begun.size === 2);
  due.push(3);
  job.wake();
  end(1);
  await until(() => begun.has(3));
  assert.ok(
    claims.every((limit) => limit > 0),
    'never asked for no rows',
  );
  end(2);
  end(3);
  await job.stop();
});

test('a failed row is logged with its fields and counted, and the other rows continue', async () => {
  const { job, begun, logged, counted, until, end } = createWorkerTest(3);
  await until(() => begun.size === 2);
  begun.get(1)?.reject(new Error('away'));
  await until(() => begun.has(3));
  const [entry] = logged;
  assert.equal(entry?.message, 'no step');
  assert.deepEqual({ ...entry.fields, err: undefined }, { row: 1, err: undefined });
  end(2);
  end(3);
  await job.stop();
  assert.deepEqual(counted, ['1 failed: Error: away', '2 done', '3 done']);
});

test('a failed claim takes no slot and is repeated', async () => {
  let callCount = 0;
  const { job, begun, logged, until, end } = createWorkerTest(1, {
    everyMs: 1,
    claim: async () => {
      callCount += 1;
      if (callCount === 1) throw new Error('the database is away');
      return callCount === 2 ? [1] : [];
    },
  });
  await until(() => begun.has(1));
  assert.equal(logged.length, 1);
  end(1);
  await job.stop();
});

test('a handled row that makes others due is followed by a claim before the next poll', async () => {
  const { job, due, begun, until, end } = createWorkerTest(1, { mayCreateDue: (row) => row === 1 });
  await until(() => begun.has(1));
  due.push(2);
  end(1);
  await until(() => begun.has(2));
  end(2);
  await job.stop();
});

test('a member at the limit gets another row when one ends; rows of other members are claimed first', async () => {
  const due = new Map([
    ['one', [1, 2]],
    ['other', [3]],
  ]);
  const memberOf = (row: number): string => (row === 3 ? 'other' : 'one');
  let isOtherHidden = true;
  const { job, begun, until, end } = createWorkerTest(0, {
    concurrency: 5,
    partitionsOf: () => ['service'],
    memberLimitOf: (row) => ({ key: memberOf(row), concurrency: 1 }),
    claim: async (_, inProgress) => {
      const rows = [...due].flatMap(([member, items]) =>
        (inProgress.get(member) ?? 0) > 0 || (member === 'other' && isOtherHidden) ? [] : items.splice(0, 1),
      );
      // The first claim reads no further than the rows of one member.
      isOtherHidden = false;
      return rows;
    },
  });
  await until(() => begun.size === 2);
  assert.deepEqual([...begun.keys()], [1, 3]);
  end(1);
  await until(() => begun.has(2));
  end(2);
  end(3);
  await job.stop();
});

test('a stopped worker claims no more rows, and waits for those in progress', async () => {
  const { job, begun, claims, until, end } = createWorkerTest(9);
  await until(() => begun.size === 2);
  let isOver = false;
  const jobStopped = job.stop().then(() => {
    isOver = true;
  });
  end(1);
  // All pending callbacks have run by then.
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(isOver, false);
  assert.deepEqual(claims, [2]);
  end(2);
  await jobStopped;
  assert.equal(begun.size, 2);
});
