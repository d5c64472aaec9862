import { strict as assert } from 'node:assert';
import { after, before, describe, test } from 'node:test';
import type { Ledger } from '../../../src/ledger/index.ts';
import {
  assertBooksAgree,
  behave,
  callsOf,
  creditOf,
  eventually,
  legStates,
  misbehave,
  openGame,
  settled,
  transfer,
} from '../../harness/games.ts';
import { registerMember, type TestMember } from '../../harness/members.ts';
import { balanceOf, fund, ledgerOf } from '../../harness/money.ts';
import { lineTo, ProviderLine } from '../../harness/provider-line.ts';
import { startSystem, type System } from '../../harness/system.ts';

describe('a line to the provider that breaks', () => {
  const line = new ProviderLine();
  let system: System;
  let ledger: Ledger;
  let member: TestMember;
  let pg: string;

  before(async () => {
    system = await startSystem({ outside: await lineTo('pg', line) });
    ledger = ledgerOf(system);
    member = await registerMember(system);
    pg = (await openGame(system, member.token, 'pg')).username;
    await fund(ledger, member.id, '100.00');
  });
  after(async () => {
    await line.cut();
    await ledger?.close();
    await system?.stop();
  });
  const send = (from: string, to: string) => transfer(system, member.token, { from, to, amount: 10 });
  const wallet = () => balanceOf(ledger, member.id, 'WALLET');

  test('broken before the provider received it, it is unknown until proven not done [R-XFER-04]', async () => {
    line.mood = 'drop before passing on';
    const reply = await send('WALLET', 'pg');
    assert.equal(reply.status, 202);
    assert.deepEqual(await wallet(), { free: '90.00', held: '10.00' });
    line.mood = 'pass';
    // As after a minute: nothing can still arrive.
    await system.database.query(`update transfer_leg set sent_at = sent_at - interval '1 minute', next_ask_at = now()`);
    await settled(system);
    assert.deepEqual(await legStates(system, reply.body.reference), ['REVERSED']);
    assert.deepEqual(await wallet(), { free: '100.00', held: '0.00' });
    assert.equal(await creditOf(system, 'pg', pg), '0.00');
  });

  test('broken after the provider did it, it is unknown until proven done [R-XFER-04]', async () => {
    line.mood = 'drop the answer';
    // An immediate inquiry would be answered before the member's reply.
    await misbehave(system, 'pg', { fault: 'error-500', call: 'GetSingleTransaction', times: 500 });
    const reply = await send('WALLET', 'pg');
    assert.equal(reply.status, 202);
    await behave(system, 'pg');
    line.mood = 'pass';
    await settled(system);
    assert.deepEqual(await legStates(system, reply.body.reference), ['DONE']);
    assert.deepEqual(await wallet(), { free: '90.00', held: '0.00' });
    assert.equal(await creditOf(system, 'pg', pg), '10.00');
  });

  test('a balance that is older than a transfer changes nothing [R-GAME-08] [R-XFER-04]', async () => {
    const before = await balanceOf(ledger, member.id, 'GAME:pg');
    const plays = async () => (await ledger.eventsSince(member.id, 0n)).filter(({ kind }) => kind === 'play').length;
    const playsBefore = await plays();
    line.mood = 'bring balances late';
    const refreshing = system.api('GET /api/wallet/refresh/slot', { token: member.token });
    await eventually(
      'the balance was read',
      () => callsOf(system, 'pg', 'GetPlayerWallet'),
      (calls) => calls > 0,
    );
    assert.equal((await send('WALLET', 'pg')).status, 200);
    assert.equal((await refreshing).status, 200);
    line.mood = 'pass';
    assert.equal((await balanceOf(ledger, member.id, 'GAME:pg')).free, (Number(before.free) + 10).toFixed(2));
    assert.equal(await plays(), playsBefore, 'what was read before is no loss');
    await assertBooksAgree(system, ledger, member.id, { pg });
    assert.equal((await send('pg', 'WALLET')).status, 200);
  });

  test('a connection that never came about is a proven no, in both directions [R-XFER-02]', async () => {
    await line.cut();
    for (const [from, to] of [
      ['WALLET', 'pg'],
      ['pg', 'WALLET'],
    ] as const) {
      const reply = await send(from, to);
      assert.deepEqual([reply.status, reply.body], [502, { message: 'TRANSFER_FAIL', detail: 'PROVIDER_UNAVAILABLE' }]);
      assert.deepEqual(await wallet(), { free: '90.00', held: '0.00' });
    }
    await line.open();
    assert.equal((await send('pg', 'WALLET')).status, 200);
    await assertBooksAgree(system, ledger, member.id, { pg });
  });
});
