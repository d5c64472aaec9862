import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, test } from 'node:test';
import { audit } from '../../../src/ledger/audit.ts';
import { houseBalance } from '../../../src/ledger/balances.ts';
import { apiClient } from '../../harness/api-client.ts';
import { registerMember, type TestMember } from '../../harness/members.ts';
import { misbehave } from '../../harness/operator.ts';
import { type ServerProcess, startServerProcess } from '../../harness/server-process.ts';
import { startSystem, type System } from '../../harness/system.ts';
import { depositsOf } from '../bank-transfer/feed-fixtures.ts';
import { dieWhilePosting, POST_MOMENTS } from '../dying-post.ts';
import { until } from '../qrcode/qr-fixtures.ts';
import { encrypt } from './gift-link.ts';

let system: System;
let member: TestMember;
let server: ServerProcess;
before(async () => {
  system = await startSystem({
    outside: (same) => ({ ...same, walletApp: same.walletApp && { ...same.walletApp, timeoutMs: 5_000 } }),
  });
  member = await registerMember(system);
  // From here on the servers are separate processes, which can be killed.
  await system.app.close();
  server = await startServerProcess(system);
});
after(async () => {
  await server.kill();
  await system.stop();
});

for (const dying of [{ moment: 'while the link is redeemed' }, ...POST_MOMENTS]) {
  test(`a gift whose server dies ${dying.moment} is credited once [R-WAPP-02]`, async () => {
    const credited = (await depositsOf({ api: apiClient(server.url) }, member)).length;
    const { body: gift } = await system.world('POST /wallet-app/gift', { body: { amount: '40.00' } });
    const send = () =>
      apiClient(server.url)('POST /api/wallet/truelink', { token: member.token, body: { link: encrypt(gift.link) } });
    if ('afterKill' in dying) await dieWhilePosting(system, server, dying, send);
    else {
      await misbehave(system, { target: 'wallet-app', fault: 'slow', call: 'redeem', delayMs: 2_000 });
      const reply = send().catch(() => 'lost');
      const faults = async () => (await system.world('GET /control/faults')).body.length as number;
      await until(faults, (left) => left === 0, 'faults that wait for their call');
      await server.kill();
      assert.equal(await reply, 'lost');
    }
    const stateOf = async () =>
      (
        await system.database.query<{ state: string }>('select state from truelink_gift where hash_sha256 = $1', [
          createHash('sha256').update(gift.hash).digest(),
        ])
      ).rows[0]?.state;
    assert.match((await stateOf()) ?? '', /^(REDEEMING|CREDITED)$/);
    server = await startServerProcess(system);
    await until(
      async () => {
        await system.database.query(
          `update truelink_gift set work_at = now(), redeemed_at = redeemed_at - interval '1 minute' where work_at is not null`,
        );
        return stateOf();
      },
      (state) => state === 'CREDITED',
      'credited',
    );
    assert.equal((await depositsOf({ api: apiClient(server.url) }, member)).length - credited, 1);
    const { body } = await system.world('GET /control/totals');
    const received = BigInt(String(body.walletApp.received).replace('.', ''));
    assert.equal(await houseBalance(system.database, 'wallet-app', 'BAHT'), -received);
    assert.deepEqual(
      (await audit(system.database)).filter(({ violations }) => violations !== 0),
      [],
    );
  });
}
