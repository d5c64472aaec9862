import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import type { Ledger } from '../../../src/ledger/index.ts';
import { type Api, type ApiReply, apiClient } from '../../harness/api-client.ts';
import { type DatabaseLine, databaseLine } from '../../harness/database-line.ts';
import { assertBooksAgree, creditOf, eventually, openGame, transfer } from '../../harness/games.ts';
import { registerMember, type TestMember } from '../../harness/members.ts';
import { balanceOf, fund, ledgerOf } from '../../harness/money.ts';
import { type ServerProcess, startServerProcess } from '../../harness/server-process.ts';
import { startSystem, type System } from '../../harness/system.ts';
import { payoutsTake, rowsOf, withdraw } from '../../withdraw/payout-fixtures.ts';

const DAY_MS = 86_400_000;
const MEMBERS = 5;

type Player = TestMember & { pg: string };
/** A command of one member, sent again and again with the same key. */
type Command = { player: Player; key: string; send: () => Promise<ApiReply> };

describe('money commands while the database falls silent', { timeout: 600_000 }, () => {
  let system: System;
  let ledger: Ledger;
  let line: DatabaseLine;
  let server: ServerProcess;
  let api: Api;

  before(async () => {
    system = await startSystem();
    ledger = ledgerOf(system);
    line = await databaseLine(system.databaseUrl);
    server = await startServerProcess({ databaseUrl: line.url, outside: system.outside });
    api = apiClient(server.url);
    await payoutsTake(system, DAY_MS);
  });
  after(async () => {
    line.thaw();
    await server.stop();
    line.close();
    await ledger.close();
    await system.stop();
  });

  const world = () => ({ ...system, api });

  async function players(): Promise<Player[]> {
    const all: Player[] = [];
    for (let count = 0; count < MEMBERS; count += 1) {
      const member = await registerMember(system);
      await fund(ledger, member.id, '1000.00');
      all.push({ ...member, pg: (await openGame(system, member.token, 'pg')).username });
    }
    return all;
  }

  /** Sends all, and falls silent once the first is answered; those that were not answered by then are unknown. */
  async function cutOff(commands: readonly Command[]): Promise<void> {
    const sent = commands.map(({ send }) => send());
    await Promise.race(sent);
    line.freeze();
    for (const { status, body, headers } of await Promise.all(sent)) {
      assert.ok([200, 202, 503].includes(status), `${status} ${JSON.stringify(body)}`);
      if (status === 503) assert.ok(Number(headers.get('retry-after')) > 0);
    }
  }

  /** The same key until there is a final answer. */
  const settledBy = ({ send }: Command) =>
    eventually('a final answer', send, ({ status }) => status !== 503 && status !== 202);

  const assertOnce = async (first: ApiReply, again: ApiReply) => {
    assert.deepEqual([again.status, again.body], [first.status, first.body]);
  };

  test('a transfer of unknown outcome: the same key returns its outcome, and nothing is lost or doubled', async () => {
    for (const freeze of ['while they run', 'before they come'] as const) {
      const commands = (await players()).map((player): Command => {
        const key = randomUUID();
        return {
          player,
          key,
          send: () => transfer(world(), player.token, { from: 'WALLET', to: 'pg', amount: 10, key }),
        };
      });
      if (freeze === 'before they come') {
        line.freeze();
        for (const { status } of await Promise.all(commands.map(({ send }) => send()))) assert.equal(status, 503);
      } else {
        await cutOff(commands);
      }
      line.thaw();
      for (const command of commands) {
        const { id, pg } = command.player;
        const reply = await settledBy(command);
        const isDone = reply.status === 200;
        if (!isDone) assert.deepEqual([reply.status, reply.body.message], [502, 'TRANSFER_FAIL']);
        await assertOnce(reply, await command.send());
        assert.deepEqual(await balanceOf(ledger, id, 'WALLET'), { free: isDone ? '990.00' : '1000.00', held: '0.00' });
        assert.equal(await creditOf(system, 'pg', pg), isDone ? '10.00' : '0.00');
        await assertBooksAgree(system, ledger, id, { pg });
      }
    }
  });

  test('a withdrawal of unknown outcome: the same key answers the one withdrawal', async () => {
    const commands = (await players()).map((player): Command => {
      const key = randomUUID();
      return { player, key, send: () => withdraw(world(), player, 600, key) };
    });
    await cutOff(commands);
    line.thaw();
    for (const command of commands) {
      const { id } = command.player;
      const reply = await settledBy(command);
      assert.equal(reply.status, 200, JSON.stringify(reply.body));
      await assertOnce(reply, await command.send());
      assert.deepEqual(await balanceOf(ledger, id, 'WALLET'), { free: '400.00', held: '600.00' });
      assert.equal((await rowsOf(system, id)).length, 1);
    }
    for (const { name, violations } of await ledger.audit()) assert.equal(violations, 0, name);
  });
});
