import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import type { Ledger } from '../../../src/ledger/index.ts';
import { type Api, type ApiReply, apiClient } from '../../harness/api-client.ts';
import { type DatabaseProxy, startDatabaseProxy } from '../../harness/database-proxy.ts';
import { assertBooksAgree, readProviderCredit, waitUntilResult, openGame, transfer } from '../../harness/games.ts';
import { registerMember, type TestMember } from '../../harness/members.ts';
import { readBalance, fundWallet, createTestLedger } from '../../harness/money.ts';
import { type ServerProcess, startServerProcess } from '../../harness/server-process.ts';
import { startSystem, type System } from '../../harness/system.ts';
import { setPayoutDelay, readWithdrawalRows, withdraw } from '../../withdraw/payout-fixtures.ts';

const DAY_MS = 86_400_000;
const MEMBER_COUNT = 5;

type PlayingMember = TestMember & { pg: string };
/** A command of one member, repeated with the same key. */
type PlayerCommand = { player: PlayingMember; key: string; send: () => Promise<ApiReply> };

describe('money commands while the database is silent', { timeout: 600_000 }, () => {
  let system: System;
  let ledger: Ledger;
  let databaseProxy: DatabaseProxy;
  let server: ServerProcess;
  let api: Api;

  before(async () => {
    system = await startSystem();
    ledger = createTestLedger(system);
    databaseProxy = await startDatabaseProxy(system.databaseUrl);
    server = await startServerProcess({ databaseUrl: databaseProxy.url, outside: system.outside });
    api = apiClient(server.url);
    await setPayoutDelay(system, DAY_MS);
  });
  after(async () => {
    databaseProxy.thaw();
    await server.stop();
    databaseProxy.close();
    await ledger.close();
    await system.stop();
  });

  const currentSystem = () => ({ ...system, api });

  async function registerPlayers(): Promise<PlayingMember[]> {
    const newPlayers: PlayingMember[] = [];
    for (let count = 0; count < MEMBER_COUNT; count += 1) {
      const member = await registerMember(system);
      await fundWallet(ledger, member.id, '1000.00');
      newPlayers.push({ ...member, pg: (await openGame(system, member.token, 'pg')).username });
    }
    return newPlayers;
  }

  /** Sends all commands, and freezes the connection after the first reply. The outcomes of the others are unknown. */
  async function sendUntilCut(playerCommands: readonly PlayerCommand[]): Promise<void> {
    const pendingReplies = playerCommands.map(({ send }) => send());
    await Promise.race(pendingReplies);
    databaseProxy.freeze();
    for (const { status, body, headers } of await Promise.all(pendingReplies)) {
      assert.ok([200, 202, 503].includes(status), `${status} ${JSON.stringify(body)}`);
      if (status === 503) assert.ok(Number(headers.get('retry-after')) > 0);
    }
  }

  /** Repeats the same key until there is a final reply. */
  const waitForReply = ({ send }: PlayerCommand) =>
    waitUntilResult('a final answer', send, ({ status }) => status !== 503 && status !== 202);

  const assertOnce = async (first: ApiReply, repeatedReply: ApiReply) => {
    assert.deepEqual([repeatedReply.status, repeatedReply.body], [first.status, first.body]);
  };

  test('the key of a transfer with unknown outcome returns its outcome later, and nothing is lost or doubled', async () => {
    for (const freezeMoment of ['while they run', 'before they come'] as const) {
      const playerCommands = (await registerPlayers()).map((player): PlayerCommand => {
        const key = randomUUID();
        return {
          player,
          key,
          send: () => transfer(currentSystem(), player.token, { from: 'WALLET', to: 'pg', amount: 10, key }),
        };
      });
      if (freezeMoment === 'before they come') {
        databaseProxy.freeze();
        for (const { status } of await Promise.all(playerCommands.map(({ send }) => send()))) assert.equal(status, 503);
      } else {
        await sendUntilCut(playerCommands);
      }
      databaseProxy.thaw();
      for (const command of playerCommands) {
        const { id, pg } = command.player;
        const reply = await waitForReply(command);
        const isDone = reply.status === 200;
        if (!isDone) assert.deepEqual([reply.status, reply.body.message], [502, 'TRANSFER_FAIL']);
        await assertOnce(reply, await command.send());
        assert.deepEqual(await readBalance(ledger, id, 'WALLET'), {
          free: isDone ? '990.00' : '1000.00',
          held: '0.00',
        });
        assert.equal(await readProviderCredit(system, 'pg', pg), isDone ? '10.00' : '0.00');
        await assertBooksAgree(system, ledger, id, { pg });
      }
    }
  });

  test('the key of a withdrawal with unknown outcome returns that one withdrawal later', async () => {
    const playerCommands = (await registerPlayers()).map((player): PlayerCommand => {
      const key = randomUUID();
      return { player, key, send: () => withdraw(currentSystem(), player, 600, key) };
    });
    await sendUntilCut(playerCommands);
    databaseProxy.thaw();
    for (const command of playerCommands) {
      const { id } = command.player;
      const reply = await waitForReply(command);
      assert.equal(reply.status, 200, JSON.stringify(reply.body));
      await assertOnce(reply, await command.send());
      assert.deepEqual(await readBalance(ledger, id, 'WALLET'), { free: '400.00', held: '600.00' });
      assert.equal((await readWithdrawalRows(system, id)).length, 1);
    }
    for (const { name, violations } of await ledger.audit()) assert.equal(violations, 0, name);
  });
});
