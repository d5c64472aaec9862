import { strict as assert } from 'node:assert';
import { after, before, describe, test } from 'node:test';
import type { Ledger } from '../../../src/ledger/index.ts';
import { assertRefused } from '../../harness/assert-refused.ts';
import { assertBooksAgree, type GameCode, setProviderMaintenance, openGame, transfer } from '../../harness/games.ts';
import { registerMember } from '../../harness/members.ts';
import { readBalance, fundWallet, createTestLedger } from '../../harness/money.ts';
import { ALL_PROVIDER_GAMES } from '../../harness/provider-calls.ts';
import { startSystem, type System } from '../../harness/system.ts';

describe('every provider', () => {
  let system: System;
  let ledger: Ledger;
  before(async () => {
    system = await startSystem();
    ledger = createTestLedger(system);
  });
  after(async () => {
    await ledger?.close();
    await system?.stop();
  });

  test('each provider in maintenance refuses transfers in both directions with that reason, and nothing moves [R-XFER-02]', async () => {
    const player = await registerMember(system);
    await fundWallet(ledger, player.id, '100.00');
    for (const code of ALL_PROVIDER_GAMES) {
      await openGame(system, player.token, code);
      await setProviderMaintenance(system, code, true);
      const inReply = await transfer(system, player.token, { from: 'WALLET', to: code, amount: 10 });
      const outReply = await transfer(system, player.token, { from: code, to: 'WALLET', amount: 10 });
      await setProviderMaintenance(system, code, false);
      assertRefused(inReply, 'TRANSFER_FAIL', 'PROVIDER_MAINTENANCE');
      assertRefused(outReply, 'TRANSFER_FAIL', 'PROVIDER_MAINTENANCE');
    }
  });

  test('money transferred through all providers in turn returns to the wallet unchanged [R-XFER-02]', async () => {
    const member = await registerMember(system);
    const names: Record<GameCode, string> = {};
    for (const code of ALL_PROVIDER_GAMES) names[code] = (await openGame(system, member.token, code)).username;
    await fundWallet(ledger, member.id, '77.77');
    const gameStops = ['WALLET', ...ALL_PROVIDER_GAMES, 'WALLET'];
    for (const [index, to] of gameStops.slice(1).entries()) {
      const from = gameStops[index] ?? '';
      const { status, body } = await transfer(system, member.token, { from, to, amount: 77.77 });
      assert.equal(status, 200, `${from} to ${to}: ${JSON.stringify(body)}`);
    }
    assert.deepEqual(await readBalance(ledger, member.id, 'WALLET'), { free: '77.77', held: '0.00' });
    await assertBooksAgree(system, ledger, member.id, names);
  });
});
