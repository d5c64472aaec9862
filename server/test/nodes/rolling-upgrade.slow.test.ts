import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Ledger } from '../../src/ledger/index.ts';
import { MIGRATIONS, readMigrations } from '../../src/platform/database/migrate.ts';
import { openEventListener, type EventListener, waitForEvents, waitForJoins } from '../event/member-socket.ts';
import type { Api } from '../harness/api-client.ts';
import { assertBooksAgree, waitUntilResult, untilSettled } from '../harness/games.ts';
import { registerMember } from '../harness/members.ts';
import { fundWallet, createTestLedger } from '../harness/money.ts';
import { type ServerProcess, startServerProcess } from '../harness/server-process.ts';
import { startSystem, type System } from '../harness/system.ts';
import { type LoadBalancer, apiWithoutKeepAlive, startLoadBalancer } from './load-balancer.ts';
import { MoneyLoad, type LoadPlayer } from './money-load.ts';

const REPOSITORY_ROOT = join(import.meta.dirname, '../../..');
const COPIED_PATHS = ['server/src', 'server/seed', 'server/migrations', 'server/sql'];
const LINKED_PATHS = ['node_modules', 'package.json', 'server/package.json', 'server/node_modules'];
const NODE_COUNT = 3;
const PLAYER_COUNT = 6;
/** Players during kills have one call in flight each: a kill aborts at most two of these and four of the load. */
const PLAYER_COUNT_DURING_KILLS = 2;
const COMMAND_COUNT = 4_000;
const MIN_FIRST_TRY_RATIO = 0.999;
const PATIENCE_MS = 30_000;
const DRAIN_MS = '1000';
const NEWEST_MIGRATION = String(readMigrations(MIGRATIONS).at(-1)?.number ?? 0).padStart(4, '0');
const EXPAND_MIGRATION = `-- oldest program: ${NEWEST_MIGRATION}
alter table member add column nickname text;
alter table transfer add column remark text not null default '';
create table remark (id integer primary key);
`;
const CONTRACT_MIGRATION = `-- oldest program: 9001
alter table member drop column nickname;
`;

let folder: string;
let system: System;
let balancer: LoadBalancer;
let newerVersion: string;
let newestVersion: string;
let moneyLoad: MoneyLoad;
let ledger: Ledger;
const nodes: ServerProcess[] = [];
const players: LoadPlayer[] = [];
const listeners: EventListener[] = [];
const clients: { api: Api }[] = [];

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'krapao-upgrade-'));
  [system, balancer] = await Promise.all([startSystem(), startLoadBalancer()]);
  // From now on there are nodes behind a load balancer.
  await system.app.close();
  newerVersion = createProductVersion('newer', { '9001-expand.sql': EXPAND_MIGRATION });
  newestVersion = createProductVersion('newest', {
    '9001-expand.sql': EXPAND_MIGRATION,
    '9002-contract.sql': CONTRACT_MIGRATION,
  });
  for (let index = 0; index < NODE_COUNT; index += 1) await start(index);
  const nodeClients = { api: apiWithoutKeepAlive(balancer.url) };
  clients.push(nodeClients);
  moneyLoad = new MoneyLoad(clients, system.simulatorsApi, PATIENCE_MS);
  ledger = createTestLedger(system);
  for (let count = 0; count < PLAYER_COUNT; count += 1) {
    const member = await registerMember({ ...nodeClients, simulatorsApi: system.simulatorsApi });
    await fundWallet(ledger, member.id, '1000.00');
    const player = await moneyLoad.openPlayer(member, 50);
    players.push(player);
    const listener = openEventListener(balancer.url, player, { since: '0' });
    listeners.push(listener);
    await waitForJoins(listener);
  }
});
after(async () => {
  for (const { socket } of listeners) socket.close();
  await ledger?.close();
  await balancer?.close();
  for (const node of nodes) await node.stop();
  await system?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Creates a later version of the product: a copy with additional migrations. */
function createProductVersion(name: string, migrations: Readonly<Record<string, string>>): string {
  const root = join(folder, name);
  for (const path of COPIED_PATHS) cpSync(join(REPOSITORY_ROOT, path), join(root, path), { recursive: true });
  for (const path of LINKED_PATHS)
    if (existsSync(join(REPOSITORY_ROOT, path))) symlinkSync(join(REPOSITORY_ROOT, path), join(root, path));
  for (const [file, sql] of Object.entries(migrations)) writeFileSync(join(root, 'server/migrations', file), sql);
  return root;
}

const launch = (root: string): Promise<ServerProcess> =>
  startServerProcess(system, 'warn', undefined, { DRAIN_MS }, root);

/** Replaces a stopped node, and waits until the load balancer uses the new one. */
async function start(index: number, root = REPOSITORY_ROOT): Promise<void> {
  const before = nodes[index];
  if (before) balancer.removeNode(before.url);
  const node = await launch(root);
  nodes[index] = node;
  balancer.addNode(node.url);
  await waitUntilResult(
    'a node that is ready',
    async () => balancer.readyNodes(),
    (readyNodes) => readyNodes.includes(node.url),
  );
}

const nodeAt = (index: number): ServerProcess => nodes[index] as ServerProcess;

async function isColumnPresent(): Promise<boolean> {
  const { rowCount } = await system.database.query(
    `select from pg_attribute where attrelid = 'member'::regclass and attname = 'nickname' and not attisdropped`,
  );
  return rowCount === 1;
}

test('nodes are killed, drained and upgraded one by one: 99.9 % of first attempts succeed, no command or event is lost [R-SCALE-03]', async (t) => {
  let isOver = false;
  const startPlay = (player: LoadPlayer) => moneyLoad.play(player, () => isOver);
  const pendingPlays = players.slice(0, PLAYER_COUNT_DURING_KILLS).map(startPlay);
  const waitForMoreCommands = () => moneyLoad.untilAcknowledged(moneyLoad.acknowledgedCommands.length + 100);
  try {
    for (const index of [0, 1]) {
      await waitForMoreCommands();
      await nodeAt(index).kill();
      await start(index);
    }
    pendingPlays.push(...players.slice(PLAYER_COUNT_DURING_KILLS).map(startPlay));
    for (const index of [0, 1, 2]) {
      await waitForMoreCommands();
      await nodeAt(index).stop();
      await start(index, newerVersion);
      assert.ok(await isColumnPresent());
      // A migration that is incompatible with the running nodes is refused while they serve.
      if (index === 0) await assert.rejects(launch(newestVersion), NEWER_PROGRAM_ERROR);
    }
    await waitForMoreCommands();
    // The rollback.
    await nodeAt(0).stop();
    await start(0);
    await moneyLoad.untilAcknowledged(COMMAND_COUNT);
  } finally {
    isOver = true;
    await Promise.all(pendingPlays);
  }
  const { acknowledgedCommands, missedTries } = moneyLoad;
  t.diagnostic(`${acknowledgedCommands.length} commands, first tries that failed: ${missedTries.join(', ') || 'none'}`);
  assert.ok(missedTries.length <= acknowledgedCommands.length * (1 - MIN_FIRST_TRY_RATIO), missedTries.join('\n'));
  moneyLoad.assertTyped();
  await assertNothingLost();
});

async function assertNothingLost(): Promise<void> {
  await untilSettled(system);
  for (const player of players) await moneyLoad.assertMoney(clients, player, { wallet: 950, game: 50 });
  // Every tenth command, and all whose first try had no reply.
  const replayedCommands = moneyLoad.acknowledgedCommands.filter(
    ({ tryCount }, index) => tryCount > 1 || index % 10 === 0,
  );
  await moneyLoad.assertReplays(clients, replayedCommands);
  for (const player of players) await assertBooksAgree(system, ledger, player.id, player);
  for (const [index, { id }] of players.entries()) {
    const listener = listeners[index] as EventListener;
    const memberEvents = await readOperationIds(id);
    await waitForEvents(listener, memberEvents.length);
    assert.deepEqual(
      listener.events.map(({ sequence }) => sequence),
      memberEvents,
    );
    assert.ok(listener.replies.length > 1, 'the socket has connected to other nodes');
  }
}

async function readOperationIds(memberId: string): Promise<string[]> {
  const operationIds: string[] = [];
  for (let sinceSequence = 0n; ;) {
    const events = await ledger.eventsSince(memberId, sinceSequence);
    const last = events.at(-1);
    if (!last) return operationIds;
    operationIds.push(...events.map(({ operationId }) => String(operationId)));
    sinceSequence = last.operationId;
  }
}

test('an incompatible new version starts only after older servers have stopped, and no older one starts after it', async () => {
  await assert.rejects(launch(newestVersion), NEWER_PROGRAM_ERROR);
  await nodeAt(0).stop();
  await start(0, newestVersion);
  assert.ok(!(await isColumnPresent()));
  await assert.rejects(launch(REPOSITORY_ROOT), /newer than this program: it has the migration 9002-contract\.sql/);
});

const NEWER_PROGRAM_ERROR = new RegExp(
  `9002-contract\\.sql needs every program on this database to have the migration 9001, but a server with ${NEWEST_MIGRATION} as its newest still runs`,
);
