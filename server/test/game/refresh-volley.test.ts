import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import pg from 'pg';
import { assertBooksAgree, countProviderCalls, openGame, playRound } from '../harness/games.ts';
import { registerMember } from '../harness/members.ts';
import { fundWallet, createTestLedger } from '../harness/money.ts';
import { startSystem } from '../harness/system.ts';
import { waitForLockWait } from '../incentive/incentive-fixtures.ts';

const AT_ONCE = 60;
/** Sequential calls of another member during the volley, which would otherwise take every connection. */
const REFRESH_COUNT = 20;

test('concurrent refreshes of one member delay no other member, and share one call to the provider', async () => {
  const system = await startSystem();
  const ledger = createTestLedger(system);
  const lock = new pg.Client({ connectionString: system.databaseUrl });
  await lock.connect();
  try {
    const [busyMember, otherMember] = [await registerMember(system), await registerMember(system)];
    const username = (await openGame(system, busyMember.token, 'pg')).username;
    await fundWallet(ledger, busyMember.id, '50.00');
    const transferBody = { from: 'WALLET', to: 'pg', amount: 50 };
    assert.equal(
      (await system.api('POST /api/wallet/transfer', { token: busyMember.token, body: transferBody })).status,
      200,
    );
    await playRound(system, 'pg', username, '10.00', '35.00');

    const walletCalls = await countProviderCalls(system, 'pg', 'GetPlayerWallet');
    // Slows down the database.
    await lock.query('begin');
    await lock.query('lock table wallet_suspension in access exclusive mode');
    let refreshCount = 0;
    const pendingRefreshes = Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        const reply = await system.api('GET /api/wallet/refresh/slot', { token: busyMember.token });
        refreshCount += 1;
        return reply;
      }),
    );
    await waitForLockWait(system);
    for (let refreshNumber = 0; refreshNumber < REFRESH_COUNT; refreshNumber += 1) {
      assert.equal((await system.api('GET /api/account/profile', { token: otherMember.token })).status, 200);
    }
    assert.equal(refreshCount, 0, 'all of them still wait');
    await lock.query('rollback');
    const replies = await pendingRefreshes;
    // A request that waits for a connection until the timeout would be refused.
    assert.deepEqual([...new Set(replies.map(({ status }) => status))], [200]);
    assert.equal(replies.at(-1)?.body.slots[0].amount, 75);
    assert.ok((await countProviderCalls(system, 'pg', 'GetPlayerWallet')) - walletCalls < AT_ONCE / 4);
    await assertBooksAgree(system, ledger, busyMember.id, { pg: username });
  } finally {
    await lock.end();
    await ledger.close();
    await system.stop();
  }
});
