import { strict as assert } from 'node:assert';
import { after, before, describe, test } from 'node:test';
import type { Ledger } from '../../../src/ledger/index.ts';
import { assertBooksAgree, type GameCode, maintain, openGame, transfer } from '../../harness/games.ts';
import { registerMember } from '../../harness/members.ts';
import { balanceOf, fund, ledgerOf } from '../../harness/money.ts';
import { everyProvider } from '../../harness/provider-calls.ts';
import { assertRefused } from '../../harness/refused.ts';
import { startSystem, type System } from '../../harness/system.ts';

describe('every provider', () => {
  let system: System;
  let ledger: Ledger;
  before(async () => {
    system = await startSystem();
    ledger = ledgerOf(system);
  });
  after(async () => {
    await ledger?.close();
    await system?.stop();
  });

  test('closed for maintenance each of them says so, both ways, and nothing moves [R-XFER-02]', async () => {
    const player = await registerMember(system);
    await fund(ledger, player.id, '100.00');
    for (const code of everyProvider) {
      await openGame(system, player.token, code);
      await maintain(system, code, true);
      const into = await transfer(system, player.token, { from: 'WALLET', to: code, amount: 10 });
      const home = await transfer(system, player.token, { from: code, to: 'WALLET', amount: 10 });
      await maintain(system, code, false);
      assertRefused(into, 'TRANSFER_FAIL', 'PROVIDER_MAINTENANCE');
      assertRefused(home, 'TRANSFER_FAIL', 'PROVIDER_MAINTENANCE');
    }
  });

  test('through all of them, one after the other, the same money returns to the wallet [R-XFER-02]', async () => {
    const member = await registerMember(system);
    const names: Record<GameCode, string> = {};
    for (const code of everyProvider) names[code] = (await openGame(system, member.token, code)).username;
    await fund(ledger, member.id, '77.77');
    const stops = ['WALLET', ...everyProvider, 'WALLET'];
    for (const [index, to] of stops.slice(1).entries()) {
      const from = stops[index] ?? '';
      const { status, body } = await transfer(system, member.token, { from, to, amount: 77.77 });
      assert.equal(status, 200, `${from} to ${to}: ${JSON.stringify(body)}`);
    }
    assert.deepEqual(await balanceOf(ledger, member.id, 'WALLET'), { free: '77.77', held: '0.00' });
    await assertBooksAgree(system, ledger, member.id, names);
  });
});
