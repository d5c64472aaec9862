import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { assertBooksAgree, openGame, play } from '../harness/games.ts';
import { registerMember } from '../harness/members.ts';
import { fund, ledgerOf } from '../harness/money.ts';
import { startSystem } from '../harness/system.ts';

const AT_ONCE = 60;
const CALM_MS = 8_000;

test('a member who refreshes many times at once holds up nobody', async () => {
  const system = await startSystem();
  const ledger = ledgerOf(system);
  try {
    const [loud, calm] = [await registerMember(system), await registerMember(system)];
    const pg = (await openGame(system, loud.token, 'pg')).username;
    await fund(ledger, loud.id, '50.00');
    const put = { from: 'WALLET', to: 'pg', amount: 50 };
    assert.equal((await system.api('POST /api/wallet/transfer', { token: loud.token, body: put })).status, 200);
    await play(system, 'pg', pg, '10.00', '35.00');

    const started = performance.now();
    const refreshing = Promise.all(
      Array.from({ length: AT_ONCE }, () => system.api('GET /api/wallet/refresh/slot', { token: loud.token })),
    );
    assert.equal((await system.api('GET /api/wallet', { token: calm.token })).status, 200);
    const replies = await refreshing;
    assert.deepEqual([...new Set(replies.map(({ status }) => status))], [200]);
    assert.ok(performance.now() - started < CALM_MS, 'nobody waited for a connection until patience ran out');
    assert.equal(replies.at(-1)?.body.slots[0].amount, 75);
    await assertBooksAgree(system, ledger, loud.id, { pg });
  } finally {
    await ledger.close();
    await system.stop();
  }
});
