import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { audit } from '../../src/ledger/index.ts';
import { openDatabase } from '../../src/platform/database/database.ts';
import { waitUntilResult, untilSettled } from '../harness/games.ts';
import type { TestMember } from '../harness/members.ts';
import { withServerClient, promoteStandby } from '../harness/standby.ts';
import { runCommand } from '../reconcile/run-command.ts';
import { setPayoutDelay } from '../withdraw/payout-fixtures.ts';
import { transferFromBank, type FailoverSystem, newMemberWithMoney, startFailoverSystem } from './failover-system.ts';
import { assertBusyReply, MoneyLoad, type LoadPlayer } from './money-load.ts';

const DAY_MS = 86_400_000;
const FUND_BAHT = 1_000;
const GAME_BALANCE_BAHT = 50;
const WITHDRAWN_BAHT = 600;
const ARRIVED_BAHT = 77;
const PLAYER_COUNT = 4;
const COMMAND_COUNT = 150;
const FIRST_COMMAND_WITHIN_MS = 30_000;
const CANCELLED_COMMIT = /canceling wait for synchronous replication/;
const READ_ONLY_ERROR = /read-only transaction/;

describe('the primary dies under load, and its synchronous standby takes over', { timeout: 300_000 }, () => {
  let failoverSystem: FailoverSystem;
  let moneyLoad: MoneyLoad;
  let players: LoadPlayer[];
  /** Members who withdraw once each: before, while the standby is disconnected, and after the kill. */
  let withdrawingMembers: [TestMember, TestMember, TestMember];

  before(async () => {
    failoverSystem = await startFailoverSystem();
    const clients = { api: failoverSystem.nodes[0].api, simulatorsApi: failoverSystem.simulatorsApi };
    await setPayoutDelay(clients, DAY_MS);
    moneyLoad = new MoneyLoad(failoverSystem.nodes, failoverSystem.simulatorsApi);
    const members = await Promise.all(
      Array.from({ length: PLAYER_COUNT + 3 }, () => newMemberWithMoney(clients, FUND_BAHT)),
    );
    players = await Promise.all(members.slice(3).map((member) => moneyLoad.openPlayer(member, GAME_BALANCE_BAHT)));
    withdrawingMembers = members.slice(0, 3) as typeof withdrawingMembers;
  });
  after(() => failoverSystem?.stop());

  const logIn = ({ phone, password }: TestMember) =>
    failoverSystem.nodes[1].api('POST /api/login', { body: { username: phone, password } });
  const cancelCommitWaits = (): Promise<void> =>
    withServerClient(failoverSystem.primary.url, async (client) => {
      await client.query(`select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'SyncRep'`);
    });

  /**
   * Disconnects the standby. Commits that stop waiting for it are only on the primary, and must not be acknowledged.
   */
  async function disconnectStandby(): Promise<void> {
    failoverSystem.replication.freeze();
    const session = logIn(withdrawingMembers[1]);
    let isAnswered = false;
    void session.finally(() => (isAnswered = true));
    await waitUntilResult(
      'commits that stopped waiting for the standby',
      async () => {
        await cancelCommitWaits();
        return isAnswered && failoverSystem.nodes.every(({ server }) => CANCELLED_COMMIT.test(server.readLog()));
      },
      (isSo) => isSo,
    );
    assertBusyReply(await session);
  }

  /**
   * One node loses its connections, and the other gets no more replies on them. Then both connect to a read-only
   * standby.
   */
  async function killPrimary(): Promise<number> {
    failoverSystem.nodes[1].databaseProxy.freezeOpenConnections();
    process.kill(failoverSystem.primary.pid, 'SIGKILL');
    const killedMs = performance.now();
    await failoverSystem.primary.died;
    failoverSystem.replication.cutConnections();
    for (const { databaseProxy } of failoverSystem.nodes) databaseProxy.leadTo(failoverSystem.standby.url);
    return killedMs;
  }

  /** A lane sends a batch again for ten seconds before its callers are refused. */
  async function assertRefusedMeanwhile(): Promise<void> {
    for (const node of failoverSystem.nodes) {
      const isRefused = () => moneyLoad.replies.some(({ node: door, reply }) => door === node && reply.status === 503);
      await waitUntilResult(
        'money commands that are refused by a standby',
        async () => (await node.api('GET /health/ready')).status === 503 && isRefused() && node.server.readLog(),
        (logText) => logText !== false && READ_ONLY_ERROR.test(logText),
      );
    }
  }

  async function assertNothingLost(): Promise<void> {
    const { nodes, standby, folder } = failoverSystem;
    const database = openDatabase({ url: standby.url });
    try {
      await untilSettled({ database });
      await moneyLoad.assertReplays(nodes);
      for (const player of players)
        await moneyLoad.assertMoney(nodes, player, { wallet: FUND_BAHT - GAME_BALANCE_BAHT, game: GAME_BALANCE_BAHT });
      for (const [index, withdrawingMember] of withdrawingMembers.entries()) {
        await moneyLoad.assertMoney(nodes, withdrawingMember, {
          wallet: FUND_BAHT + (index === 2 ? ARRIVED_BAHT : 0),
          game: 0,
        });
      }
      for (const { name, violations } of await audit(database)) assert.equal(violations, 0, name);
    } finally {
      await database.close();
    }
    const { status, output } = await runCommand({ databaseUrl: standby.url }, folder, 'reconcile');
    assert.equal(status, 0, output);
    assert.match(output, / 0 unexplained/);
    for (const { server } of nodes) assert.doesNotMatch(server.readLog(), /request ended in a defect/);
  }

  test('a statement that waits longer than its limit is refused with 503, not a defect', async () => {
    await withServerClient(failoverSystem.primary.url, async (client) => {
      await client.query('begin; lock table member_session in exclusive mode');
      assertBusyReply(await logIn(withdrawingMembers[0]));
    });
  });

  test('after a failover calls get 503 with Retry-After, never 500, money moves within 30 s, and nothing is lost or doubled [R-SCALE-02]', async (t) => {
    let isOver = false;
    const pendingPlays = players.map((player) => moneyLoad.play(player, () => isOver));
    const withdrawFully = (member: TestMember) =>
      moneyLoad.runCommand(moneyLoad.withdrawalCommand(member, WITHDRAWN_BAHT));
    await withdrawFully(withdrawingMembers[0]);
    await moneyLoad.untilAcknowledged(COMMAND_COUNT);
    const pendingWithdrawals = [withdrawFully(withdrawingMembers[1])];
    await disconnectStandby();
    const before = moneyLoad.acknowledgedCommands.length;
    const killedMs = await killPrimary();
    assert.equal(moneyLoad.acknowledgedCommands.length, before, 'nothing is acknowledged that the standby lacks');
    await transferFromBank(
      { api: failoverSystem.nodes[0].api, simulatorsApi: failoverSystem.simulatorsApi },
      withdrawingMembers[2],
      ARRIVED_BAHT,
    );
    await assertRefusedMeanwhile();
    await promoteStandby(failoverSystem.standby);
    pendingWithdrawals.push(withdrawFully(withdrawingMembers[2]));
    await moneyLoad.untilAcknowledged(before + 1);
    const tookMs = (moneyLoad.acknowledgedCommands[before]?.repliedAtMs ?? Number.POSITIVE_INFINITY) - killedMs;
    assert.ok(tookMs < FIRST_COMMAND_WITHIN_MS, `the first money command took ${tookMs} ms`);
    await moneyLoad.untilAcknowledged(before + COMMAND_COUNT);
    isOver = true;
    await Promise.all([...pendingPlays, ...pendingWithdrawals]);
    moneyLoad.assertTyped();
    await assertNothingLost();
    t.diagnostic(
      `${moneyLoad.acknowledgedCommands.length} commands, the first ${(tookMs / 1_000).toFixed(1)} s after the kill`,
    );
  });
});
