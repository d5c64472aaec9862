import { strict as assert } from 'node:assert';
import { after, before, describe, test } from 'node:test';
import type { Ledger } from '../../src/ledger/index.ts';
import { misbehave, openGame, providersWithin, transfer } from '../harness/games.ts';
import { registerMember } from '../harness/members.ts';
import { fund, ledgerOf } from '../harness/money.ts';
import { FAULTY_TIMEOUT_MS } from '../harness/provider-calls.ts';
import { startSystem, type System } from '../harness/system.ts';

describe('a game that the operator gives to another provider while an opening has no answer', () => {
  let system: System;
  let ledger: Ledger;
  before(async () => {
    system = await startSystem({ outside: providersWithin(FAULTY_TIMEOUT_MS) });
    ledger = ledgerOf(system);
  });
  after(async () => {
    await ledger?.close();
    await system?.stop();
  });

  test('is opened there, and money goes there [R-GAME-02] [R-XFER-02]', async () => {
    const { token, id } = await registerMember(system);
    await fund(ledger, id, '20.00');
    await misbehave(system, 'pg', { fault: 'timeout-applied', call: 'Create' });
    const silent = await system.api('GET /api/wallet/activate/pg', { token });
    assert.deepEqual(
      [silent.status, silent.body],
      [503, { message: 'GAME_ACTIVATION_FAIL', detail: 'PROVIDER_SILENT' }],
    );
    await system.database.query(`update game set provider = 'naga' where code = 'pg'`);
    const { username } = await openGame(system, token, 'pg');
    const moved = await transfer(system, token, { from: 'WALLET', to: 'pg', amount: 5 });
    assert.equal(moved.status, 200, JSON.stringify(moved.body));
    const player = await system.world(`GET /games/naga/players/${username}`);
    assert.equal(player.body.balance, '5.00');
  });
});
