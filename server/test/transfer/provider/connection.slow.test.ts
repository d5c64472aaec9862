import { strict as assert } from 'node:assert';
import { after, before, describe, test } from 'node:test';
import type { Ledger } from '../../../src/ledger/index.ts';
import { assertRefused } from '../../harness/assert-refused.ts';
import {
  assertBooksAgree,
  clearProviderFaults,
  countProviderCalls,
  readProviderCredit,
  waitUntilResult,
  readLegStates,
  failProvider,
  openGame,
  untilSettled,
  transfer,
} from '../../harness/games.ts';
import { registerMember, type TestMember } from '../../harness/members.ts';
import { readBalance, fundWallet, createTestLedger } from '../../harness/money.ts';
import { routeProviderThroughProxy, ProviderProxy } from '../../harness/provider-proxy.ts';
import { startSystem, type System } from '../../harness/system.ts';

describe('a broken connection to the provider', () => {
  const providerProxy = new ProviderProxy();
  let system: System;
  let ledger: Ledger;
  let member: TestMember;
  let pg: string;

  before(async () => {
    system = await startSystem({ outside: await routeProviderThroughProxy('pg', providerProxy) });
    ledger = createTestLedger(system);
    member = await registerMember(system);
    pg = (await openGame(system, member.token, 'pg')).username;
    await fundWallet(ledger, member.id, '100.00');
  });
  after(async () => {
    await providerProxy.cutConnections();
    await ledger?.close();
    await system?.stop();
  });
  const sendTransfer = (from: string, to: string) => transfer(system, member.token, { from, to, amount: 10 });
  const readWalletBalance = () => readBalance(ledger, member.id, 'WALLET');

  test('a transfer whose connection broke before the provider received it is unknown until proven not done [R-XFER-04]', async () => {
    providerProxy.proxyMode = 'drop before passing on';
    const reply = await sendTransfer('WALLET', 'pg');
    assert.equal(reply.status, 202);
    assert.deepEqual(await readWalletBalance(), { free: '90.00', held: '10.00' });
    providerProxy.proxyMode = 'pass';
    // Simulates a minute of waiting: no call can still arrive.
    await system.database.query(
      `update transfer_leg set sent_at = sent_at - interval '1 minute', next_inquiry_at = now()`,
    );
    await untilSettled(system);
    assert.deepEqual(await readLegStates(system, reply.body.reference), ['REVERSED']);
    assert.deepEqual(await readWalletBalance(), { free: '100.00', held: '0.00' });
    assert.equal(await readProviderCredit(system, 'pg', pg), '0.00');
  });

  test('a transfer whose connection broke after the provider did it is unknown until proven done [R-XFER-04]', async () => {
    providerProxy.proxyMode = 'drop the answer';
    // An immediate inquiry would be answered before the member's reply.
    await failProvider(system, 'pg', { fault: 'error-500', call: 'GetSingleTransaction', times: 500 });
    const reply = await sendTransfer('WALLET', 'pg');
    assert.equal(reply.status, 202);
    await clearProviderFaults(system, 'pg');
    providerProxy.proxyMode = 'pass';
    await untilSettled(system);
    assert.deepEqual(await readLegStates(system, reply.body.reference), ['DONE']);
    assert.deepEqual(await readWalletBalance(), { free: '90.00', held: '0.00' });
    assert.equal(await readProviderCredit(system, 'pg', pg), '10.00');
  });

  test('a balance older than a transfer changes nothing [R-GAME-08] [R-XFER-04]', async () => {
    const before = await readBalance(ledger, member.id, 'GAME:pg');
    const readPlayEvents = async () =>
      (await ledger.eventsSince(member.id, 0n)).filter(({ kind }) => kind === 'play').length;
    const playsBefore = await readPlayEvents();
    providerProxy.proxyMode = 'bring balances late';
    const pendingRefresh = system.api('GET /api/wallet/refresh/slot', { token: member.token });
    await waitUntilResult(
      'the balance was read',
      () => countProviderCalls(system, 'pg', 'GetPlayerWallet'),
      (calls) => calls > 0,
    );
    assert.equal((await sendTransfer('WALLET', 'pg')).status, 200);
    assert.equal((await pendingRefresh).status, 200);
    providerProxy.proxyMode = 'pass';
    assert.equal((await readBalance(ledger, member.id, 'GAME:pg')).free, (Number(before.free) + 10).toFixed(2));
    assert.equal(await readPlayEvents(), playsBefore, 'what was read before is no loss');
    await assertBooksAgree(system, ledger, member.id, { pg });
    assert.equal((await sendTransfer('pg', 'WALLET')).status, 200);
  });

  test('a connection that was never established is a proven refusal, in both directions [R-XFER-02]', async () => {
    await providerProxy.cutConnections();
    for (const [from, to] of [
      ['WALLET', 'pg'],
      ['pg', 'WALLET'],
    ] as const) {
      assertRefused(await sendTransfer(from, to), 'TRANSFER_FAIL', 'PROVIDER_UNAVAILABLE');
      assert.deepEqual(await readWalletBalance(), { free: '90.00', held: '0.00' });
    }
    await providerProxy.open();
    assert.equal((await sendTransfer('pg', 'WALLET')).status, 200);
    await assertBooksAgree(system, ledger, member.id, { pg });
  });
});
