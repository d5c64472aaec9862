import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { audit } from '../../src/ledger/index.ts';
import { openDatabase } from '../../src/platform/database/database.ts';
import { eventually, settled } from '../harness/games.ts';
import type { TestMember } from '../harness/members.ts';
import { onServer, promote } from '../harness/standby.ts';
import { runCommand } from '../reconcile/run-command.ts';
import { payoutsTake } from '../withdraw/payout-fixtures.ts';
import { arrive, type FailoverWorld, memberWithMoney, startFailoverWorld } from './failover-world.ts';
import { assertBusy, MoneyLoad, type Player } from './money-load.ts';

const DAY_MS = 86_400_000;
const FUND = 1_000;
const AT_GAME = 50;
const WITHDRAWN = 600;
const ARRIVED = 77;
const PLAYERS = 4;
const COMMANDS = 150;
const FIRST_COMMAND_WITHIN_MS = 30_000;
const CANCELLED = /canceling wait for synchronous replication/;
const READ_ONLY = /read-only transaction/;

describe('the primary dies under load, and its synchronous standby takes over', { timeout: 300_000 }, () => {
  let place: FailoverWorld;
  let load: MoneyLoad;
  let players: Player[];
  /** They withdraw once: before, while the standby is cut off, and after the kill. */
  let leavers: [TestMember, TestMember, TestMember];

  before(async () => {
    place = await startFailoverWorld();
    const doors = { api: place.nodes[0].api, world: place.world };
    await payoutsTake(doors, DAY_MS);
    load = new MoneyLoad(place.nodes, place.world);
    const members = await Promise.all(Array.from({ length: PLAYERS + 3 }, () => memberWithMoney(doors, FUND)));
    players = await Promise.all(members.slice(3).map((member) => load.seat(member, AT_GAME)));
    leavers = members.slice(0, 3) as typeof leavers;
  });
  after(() => place?.stop());

  const logIn = ({ phone, password }: TestMember) =>
    place.nodes[1].api('POST /api/login', { body: { username: phone, password } });
  const cancelWaits = (): Promise<void> =>
    onServer(place.primary.url, async (client) => {
      await client.query(`select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'SyncRep'`);
    });

  /** The standby receives no commits. Those that stop waiting for it are on the primary alone, and may not be acknowledged. */
  async function cutStandbyOff(): Promise<void> {
    place.replication.freeze();
    const session = logIn(leavers[1]);
    let isAnswered = false;
    void session.finally(() => (isAnswered = true));
    await eventually(
      'commits that stopped waiting for the standby',
      async () => {
        await cancelWaits();
        return isAnswered && place.nodes.every(({ server }) => CANCELLED.test(server.written()));
      },
      (isSo) => isSo,
    );
    assertBusy(await session);
  }

  /** One node loses its connections, the other gets no more answers on them; then both reach a standby that takes no writes. */
  async function kill(): Promise<number> {
    place.nodes[1].line.freezeOpen();
    process.kill(place.primary.pid, 'SIGKILL');
    const killedMs = performance.now();
    await place.primary.died;
    place.replication.cut();
    for (const { line } of place.nodes) line.lead(place.standby.url);
    return killedMs;
  }

  /** A lane sends a batch again for ten seconds before its callers are refused. */
  async function assertRefusedMeanwhile(): Promise<void> {
    for (const node of place.nodes) {
      const refused = () => load.replies.some(({ door, reply }) => door === node && reply.status === 503);
      await eventually(
        'money commands that are refused by a standby',
        async () => (await node.api('GET /health/ready')).status === 503 && refused() && node.server.written(),
        (lines) => lines !== false && READ_ONLY.test(lines),
      );
    }
  }

  async function assertNothingLost(): Promise<void> {
    const { nodes, standby, folder } = place;
    const database = openDatabase({ url: standby.url });
    try {
      await settled({ database });
      await load.assertReplays(nodes);
      for (const player of players) await load.assertMoney(nodes, player, { wallet: FUND - AT_GAME, game: AT_GAME });
      for (const [index, leaver] of leavers.entries()) {
        await load.assertMoney(nodes, leaver, { wallet: FUND + (index === 2 ? ARRIVED : 0), game: 0 });
      }
      for (const { name, violations } of await audit(database)) assert.equal(violations, 0, name);
    } finally {
      await database.close();
    }
    const { status, output } = await runCommand({ databaseUrl: standby.url }, folder, 'reconcile');
    assert.equal(status, 0, output);
    assert.match(output, / 0 unexplained/);
    for (const { server } of nodes) assert.doesNotMatch(server.written(), /a call ended in a defect/);
  }

  test('a statement that waits longer than its limit is refused with 503, not a defect', async () => {
    await onServer(place.primary.url, async (client) => {
      await client.query('begin; lock table member_session in exclusive mode');
      assertBusy(await logIn(leavers[0]));
    });
  });

  test('503 with Retry-After and never 500, money again within 30 s without a restart, every answer stands, nothing lost or doubled [R-SCALE-02]', async (t) => {
    let isOver = false;
    const playing = players.map((player) => load.play(player, () => isOver));
    const withdraw = (member: TestMember) => load.carryOut(load.withdrawalOf(member, WITHDRAWN));
    await withdraw(leavers[0]);
    await load.untilAcknowledged(COMMANDS);
    const withdrawing = [withdraw(leavers[1])];
    await cutStandbyOff();
    const before = load.acknowledged.length;
    const killedMs = await kill();
    assert.equal(load.acknowledged.length, before, 'nothing is acknowledged that the standby lacks');
    await arrive({ api: place.nodes[0].api, world: place.world }, leavers[2], ARRIVED);
    await assertRefusedMeanwhile();
    await promote(place.standby);
    withdrawing.push(withdraw(leavers[2]));
    await load.untilAcknowledged(before + 1);
    const tookMs = (load.acknowledged[before]?.answeredMs ?? Number.POSITIVE_INFINITY) - killedMs;
    assert.ok(tookMs < FIRST_COMMAND_WITHIN_MS, `the first money command took ${tookMs} ms`);
    await load.untilAcknowledged(before + COMMANDS);
    isOver = true;
    await Promise.all([...playing, ...withdrawing]);
    load.assertTyped();
    await assertNothingLost();
    t.diagnostic(`${load.acknowledged.length} commands, the first ${(tookMs / 1_000).toFixed(1)} s after the kill`);
  });
});
