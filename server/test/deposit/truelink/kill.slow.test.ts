import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, test } from 'node:test';
import { audit } from '../../../src/ledger/audit.ts';
import { houseAccountBalance } from '../../../src/ledger/balances.ts';
import { apiClient } from '../../harness/api-client.ts';
import { registerMember, type TestMember } from '../../harness/members.ts';
import { injectFault } from '../../harness/operator.ts';
import { type ServerProcess, startServerProcess } from '../../harness/server-process.ts';
import { startSystem, type System } from '../../harness/system.ts';
import { readDepositAmounts } from '../bank-transfer/feed-fixtures.ts';
import { killServerWhilePosting, CRASH_MOMENTS } from '../crash-while-posting.ts';
import { waitUntil } from '../qrcode/qr-fixtures.ts';
import { encryptGiftLink } from './gift-link.ts';

let system: System;
let member: TestMember;
let server: ServerProcess;
before(async () => {
  system = await startSystem({
    outside: (config) => ({ ...config, walletApp: config.walletApp && { ...config.walletApp, timeoutMs: 5_000 } }),
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

for (const crash of [{ moment: 'while the link is redeemed' }, ...CRASH_MOMENTS]) {
  test(`a gift whose server dies ${crash.moment} is credited once [R-WAPP-02]`, async () => {
    const credited = (await readDepositAmounts({ api: apiClient(server.url) }, member)).length;
    const { body: giftReply } = await system.simulatorsApi('POST /wallet-app/gift', { body: { amount: '40.00' } });
    const sendGift = () =>
      apiClient(server.url)('POST /api/wallet/truelink', {
        token: member.token,
        body: { link: encryptGiftLink(giftReply.link) },
      });
    if ('afterKill' in crash) await killServerWhilePosting(system, server, crash, sendGift);
    else {
      await injectFault(system, { target: 'wallet-app', fault: 'slow', call: 'redeem', delayMs: 2_000 });
      const reply = sendGift().catch(() => 'lost');
      const countFaults = async () => (await system.simulatorsApi('GET /control/faults')).body.length as number;
      await waitUntil(countFaults, (remaining) => remaining === 0, 'faults that wait for their call');
      await server.kill();
      assert.equal(await reply, 'lost');
    }
    const stateOf = async () =>
      (
        await system.database.query<{ state: string }>('select state from truelink_gift where hash_sha256 = $1', [
          createHash('sha256').update(giftReply.hash).digest(),
        ])
      ).rows[0]?.state;
    assert.match((await stateOf()) ?? '', /^(REDEEMING|CREDITED)$/);
    server = await startServerProcess(system);
    await waitUntil(
      async () => {
        await system.database.query(
          `update truelink_gift set work_at = now(), redeemed_at = redeemed_at - interval '1 minute' where work_at is not null`,
        );
        return stateOf();
      },
      (state) => state === 'CREDITED',
      'credited',
    );
    assert.equal((await readDepositAmounts({ api: apiClient(server.url) }, member)).length - credited, 1);
    const { body } = await system.simulatorsApi('GET /control/totals');
    const received = BigInt(String(body.walletApp.received).replace('.', ''));
    assert.equal(await houseAccountBalance(system.database, 'wallet-app', 'BAHT'), -received);
    assert.deepEqual(
      (await audit(system.database)).filter(({ violations }) => violations !== 0),
      [],
    );
  });
}
