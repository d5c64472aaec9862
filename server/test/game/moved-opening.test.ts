import { strict as assert } from 'node:assert';
import { after, before, describe, test } from 'node:test';
import type { Ledger } from '../../src/ledger/index.ts';
import { failProvider, openGame, outsideWithProviderTimeout, transfer } from '../harness/games.ts';
import { registerMember } from '../harness/members.ts';
import { fundWallet, createTestLedger } from '../harness/money.ts';
import { FAULTY_TIMEOUT_MS } from '../harness/provider-calls.ts';
import { startSystem, type System } from '../harness/system.ts';

describe('a game that moves to another provider while an opening has no reply', () => {
  let system: System;
  let ledger: Ledger;
  before(async () => {
    system = await startSystem({ outside: outsideWithProviderTimeout(FAULTY_TIMEOUT_MS) });
    ledger = createTestLedger(system);
  });
  after(async () => {
    await ledger?.close();
    await system?.stop();
  });

  test('a game moved to another provider during an opening opens there, and receives money there [R-GAME-02] [R-XFER-02]', async () => {
    const { token, id } = await registerMember(system);
    await fundWallet(ledger, id, '20.00');
    await failProvider(system, 'pg', { fault: 'timeout-applied', call: 'Create' });
    const silentReply = await system.api('GET /api/wallet/activate/pg', { token });
    assert.deepEqual(
      [silentReply.status, silentReply.body],
      [503, { message: 'GAME_ACTIVATION_FAIL', detail: 'PROVIDER_SILENT' }],
    );
    await system.database.query(`update game set provider = 'naga' where code = 'pg'`);
    const { username } = await openGame(system, token, 'pg');
    const transferReply = await transfer(system, token, { from: 'WALLET', to: 'pg', amount: 5 });
    assert.equal(transferReply.status, 200, JSON.stringify(transferReply.body));
    const player = await system.simulatorsApi(`GET /games/naga/players/${username}`);
    assert.equal(player.body.balance, '5.00');
  });
});
