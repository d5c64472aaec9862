import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import pg from 'pg';
import { assertBooksAgree, callsOf, openGame, play } from '../harness/games.ts';
import { registerMember } from '../harness/members.ts';
import { fund, ledgerOf } from '../harness/money.ts';
import { startSystem } from '../harness/system.ts';
import { somebodyWaits } from '../incentive/incentive-world.ts';

const AT_ONCE = 60;
/** Sequential calls of another member during the volley, which would otherwise take every connection. */
const LOOKS = 20;

test('many concurrent refreshes of one member delay no other, and share one call to the provider', async () => {
  const system = await startSystem();
  const ledger = ledgerOf(system);
  const lock = new pg.Client({ connectionString: system.databaseUrl });
  await lock.connect();
  try {
    const [loud, calm] = [await registerMember(system), await registerMember(system)];
    const username = (await openGame(system, loud.token, 'pg')).username;
    await fund(ledger, loud.id, '50.00');
    const put = { from: 'WALLET', to: 'pg', amount: 50 };
    assert.equal((await system.api('POST /api/wallet/transfer', { token: loud.token, body: put })).status, 200);
    await play(system, 'pg', username, '10.00', '35.00');

    const asked = await callsOf(system, 'pg', 'GetPlayerWallet');
    // Slows down the database.
    await lock.query('begin');
    await lock.query('lock table wallet_suspension in access exclusive mode');
    let refreshed = 0;
    const refreshing = Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        const reply = await system.api('GET /api/wallet/refresh/slot', { token: loud.token });
        refreshed += 1;
        return reply;
      }),
    );
    await somebodyWaits(system);
    for (let look = 0; look < LOOKS; look += 1) {
      assert.equal((await system.api('GET /api/account/profile', { token: calm.token })).status, 200);
    }
    assert.equal(refreshed, 0, 'all of them still wait');
    await lock.query('rollback');
    const replies = await refreshing;
    // A caller that had waited for a connection until its timeout would have been refused.
    assert.deepEqual([...new Set(replies.map(({ status }) => status))], [200]);
    assert.equal(replies.at(-1)?.body.slots[0].amount, 75);
    assert.ok((await callsOf(system, 'pg', 'GetPlayerWallet')) - asked < AT_ONCE / 4);
    await assertBooksAgree(system, ledger, loud.id, { pg: username });
  } finally {
    await lock.end();
    await ledger.close();
    await system.stop();
  }
});
