import { strict as assert } from 'node:assert';
import { after, before, test } from 'node:test';
import { usualPayouts } from '../../src/modules/withdraw/payout-speed.ts';
import { uuidV7 } from '../../src/platform/ids.ts';
import { systemClock } from '../../src/platform/time.ts';
import { registerMember } from '../harness/members.ts';
import { startSystem, type System } from '../harness/system.ts';

let system: System;
before(async () => {
  system = await startSystem();
});
after(() => system?.stop());

const HOUR_MS = 3_600_000;

type Payout = { state: 'PAID' | 'FAILED'; bankCode: string; currency: string; seconds: number; ageMs?: number };

/** Stores payouts that took so many seconds. */
async function storePayouts(memberId: string, payouts: readonly Payout[]): Promise<void> {
  for (const { state, bankCode, currency, seconds, ageMs = HOUR_MS } of payouts) {
    const createdAt = new Date(Date.now() - ageMs);
    const id = uuidV7(createdAt);
    await system.database.query(
      `insert into withdraw (id, member_id, currency, idempotency_key, input_hash, is_all, amount, reference, bank_code,
         account_no, account_name, paid_from, state, is_held, proof, proof_by, leased_until, created_at, sent_at, finished_at)
       values ($1::uuid, $2, $3, $1::uuid::text, '', false, 10000, upper(right(replace($1::uuid::text, '-', ''), 16)), $4, '1112223334', 'X',
         'SCB-1', $5, true, $5, 'resolver', now(), $6, $6, $6::timestamptz + $7 * interval '1 second')`,
      [id, memberId, currency, bankCode, state, createdAt, seconds],
    );
  }
}

const usualOf = (bankCode: string | undefined, currency: 'BAHT' | 'LAK') =>
  usualPayouts({ database: system.database, clock: systemClock })(bankCode, currency);

test('the expected time of a payout is the median of the last week at that bank, and none with fewer than five', async () => {
  const member = await registerMember(system, { bankCode: 'SCB' });
  const scb = { state: 'PAID', bankCode: 'SCB', currency: 'BAHT' } as const;
  assert.deepEqual(await usualOf('SCB', 'BAHT'), { medianSeconds: null, samples: 0 });
  await storePayouts(
    member.id,
    [10, 20, 30, 400].map((seconds) => ({ ...scb, seconds })),
  );
  assert.deepEqual(await usualOf('SCB', 'BAHT'), { medianSeconds: null, samples: 4 });
  await storePayouts(member.id, [
    { ...scb, seconds: 41.2 },
    // Another bank, another currency, a failure, and one of last month don't count.
    ...Array.from({ length: 5 }, () => ({ ...scb, bankCode: 'KBANK', seconds: 5 })),
    { ...scb, currency: 'LAK', seconds: 1 },
    { ...scb, state: 'FAILED', seconds: 1 },
    { ...scb, seconds: 1, ageMs: 30 * 24 * HOUR_MS },
  ]);
  assert.deepEqual(await usualOf('SCB', 'BAHT'), { medianSeconds: 30, samples: 5 });
  assert.deepEqual(await usualOf('KBANK', 'BAHT'), { medianSeconds: 5, samples: 5 });
  assert.deepEqual(await usualOf('SCB', 'LAK'), { medianSeconds: null, samples: 1 });
  assert.deepEqual(await usualOf(undefined, 'BAHT'), { medianSeconds: null, samples: 0 });
});

test("the expected payout time is of the member's own bank, and needs a session", async () => {
  const [scb, bbl] = [
    await registerMember(system, { bankCode: 'SCB' }),
    await registerMember(system, { bankCode: 'BBL' }),
  ];
  const adviceOf = async ({ token }: { token: string }) =>
    (await system.api('GET /api/withdraw/advice', { token })).body;
  assert.deepEqual(await adviceOf(scb), { medianSeconds: 30, samples: 5, statedMinutes: 15 });
  assert.deepEqual(await adviceOf(bbl), { medianSeconds: null, samples: 0, statedMinutes: 15 });
  assert.equal((await system.api('GET /api/withdraw/advice')).status, 401);
});
