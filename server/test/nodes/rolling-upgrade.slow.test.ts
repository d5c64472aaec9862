import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Ledger } from '../../src/ledger/index.ts';
import { MIGRATIONS, readMigrations } from '../../src/platform/database/migrate.ts';
import { listen, type Listener, untilEvents, untilJoined } from '../event/member-socket.ts';
import type { Api } from '../harness/api-client.ts';
import { assertBooksAgree, eventually, settled } from '../harness/games.ts';
import { registerMember } from '../harness/members.ts';
import { fund, ledgerOf } from '../harness/money.ts';
import { type ServerProcess, startServerProcess } from '../harness/server-process.ts';
import { startSystem, type System } from '../harness/system.ts';
import { type Balancer, callByCall, startBalancer } from './balancer.ts';
import { MoneyLoad, type Player } from './money-load.ts';

const ROOT = join(import.meta.dirname, '../../..');
const COPIED = ['server/src', 'server/seed', 'server/migrations'];
const LINKED = ['node_modules', 'package.json', 'server/package.json', 'server/node_modules'];
const NODES = 3;
const PLAYERS = 6;
/** Players during kills have one call in flight each: a kill aborts at most two of these and four of the load. */
const PLAYERS_OF_KILLS = 2;
const COMMANDS = 4_000;
const FIRST_TRIES = 0.999;
const PATIENCE_MS = 30_000;
const DRAIN_MS = '1000';
const NEWEST = String(readMigrations(MIGRATIONS).at(-1)?.number ?? 0).padStart(4, '0');
const EXPAND = `-- oldest program: ${NEWEST}
alter table member add column nickname text;
alter table transfer add column remark text not null default '';
create table remark (id integer primary key);
`;
const CONTRACT = `-- oldest program: 9001
alter table member drop column nickname;
`;

let folder: string;
let system: System;
let balancer: Balancer;
let newer: string;
let newest: string;
let load: MoneyLoad;
let ledger: Ledger;
const nodes: ServerProcess[] = [];
const players: Player[] = [];
const listeners: Listener[] = [];
const doors: { api: Api }[] = [];

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'krapao-upgrade-'));
  [system, balancer] = await Promise.all([startSystem(), startBalancer()]);
  // From here on there are nodes behind a balancer.
  await system.app.close();
  newer = version('newer', { '9001-expand.sql': EXPAND });
  newest = version('newest', { '9001-expand.sql': EXPAND, '9002-contract.sql': CONTRACT });
  for (let index = 0; index < NODES; index += 1) await start(index);
  const door = { api: callByCall(balancer.url) };
  doors.push(door);
  load = new MoneyLoad(doors, system.world, PATIENCE_MS);
  ledger = ledgerOf(system);
  for (let count = 0; count < PLAYERS; count += 1) {
    const member = await registerMember({ ...door, world: system.world });
    await fund(ledger, member.id, '1000.00');
    const player = await load.seat(member, 50);
    players.push(player);
    const listener = listen(balancer.url, player, { since: '0' });
    listeners.push(listener);
    await untilJoined(listener);
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

/** A later version of the product: a copy of it with more migrations. */
function version(name: string, migrations: Readonly<Record<string, string>>): string {
  const root = join(folder, name);
  for (const path of COPIED) cpSync(join(ROOT, path), join(root, path), { recursive: true });
  for (const path of LINKED) if (existsSync(join(ROOT, path))) symlinkSync(join(ROOT, path), join(root, path));
  for (const [file, sql] of Object.entries(migrations)) writeFileSync(join(root, 'server/migrations', file), sql);
  return root;
}

const launch = (root: string): Promise<ServerProcess> =>
  startServerProcess(system, 'warn', undefined, { DRAIN_MS }, root);

/** Starts a node in place of the one before, which has stopped, and waits until the balancer uses it. */
async function start(index: number, root = ROOT): Promise<void> {
  const before = nodes[index];
  if (before) balancer.remove(before.url);
  const node = await launch(root);
  nodes[index] = node;
  balancer.add(node.url);
  await eventually(
    'a node that is ready',
    async () => balancer.ready(),
    (ready) => ready.includes(node.url),
  );
}

const nodeAt = (index: number): ServerProcess => nodes[index] as ServerProcess;

async function columnIsThere(): Promise<boolean> {
  const { rowCount } = await system.database.query(
    `select from pg_attribute where attrelid = 'member'::regclass and attname = 'nickname' and not attisdropped`,
  );
  return rowCount === 1;
}

test('nodes are killed, drained and upgraded one by one: 99.9 % of first tries succeed, no command and no event is lost [R-SCALE-03]', async (t) => {
  let isOver = false;
  const play = (player: Player) => load.play(player, () => isOver);
  const playing = players.slice(0, PLAYERS_OF_KILLS).map(play);
  const moreCommands = () => load.untilAcknowledged(load.acknowledged.length + 100);
  try {
    for (const index of [0, 1]) {
      await moreCommands();
      await nodeAt(index).kill();
      await start(index);
    }
    playing.push(...players.slice(PLAYERS_OF_KILLS).map(play));
    for (const index of [0, 1, 2]) {
      await moreCommands();
      await nodeAt(index).stop();
      await start(index, newer);
      assert.ok(await columnIsThere());
      // A migration that is incompatible with the running nodes is refused while they serve.
      if (index === 0) await assert.rejects(launch(newest), needsNewerPrograms);
    }
    await moreCommands();
    // The way back.
    await nodeAt(0).stop();
    await start(0);
    await load.untilAcknowledged(COMMANDS);
  } finally {
    isOver = true;
    await Promise.all(playing);
  }
  const { acknowledged, missed } = load;
  t.diagnostic(`${acknowledged.length} commands, first tries that failed: ${missed.join(', ') || 'none'}`);
  assert.ok(missed.length <= acknowledged.length * (1 - FIRST_TRIES), missed.join('\n'));
  load.assertTyped();
  await assertNothingLost();
});

async function assertNothingLost(): Promise<void> {
  await settled(system);
  for (const player of players) await load.assertMoney(doors, player, { wallet: 950, game: 50 });
  // Every tenth, and all whose first try had no answer.
  const replayed = load.acknowledged.filter(({ tries }, index) => tries > 1 || index % 10 === 0);
  await load.assertReplays(doors, replayed);
  for (const player of players) await assertBooksAgree(system, ledger, player.id, player);
  for (const [index, { id }] of players.entries()) {
    const listener = listeners[index] as Listener;
    const happened = await eventsOf(id);
    await untilEvents(listener, happened.length);
    assert.deepEqual(
      listener.events.map(({ sequence }) => sequence),
      happened,
    );
    assert.ok(listener.replies.length > 1, 'the socket has connected to other nodes');
  }
}

async function eventsOf(memberId: string): Promise<string[]> {
  const all: string[] = [];
  for (let since = 0n; ;) {
    const events = await ledger.eventsSince(memberId, since);
    const last = events.at(-1);
    if (!last) return all;
    all.push(...events.map(({ operationId }) => String(operationId)));
    since = last.operationId;
  }
}

test('a version that an older one can not go on with starts when that has stopped, and the older one no more', async () => {
  await assert.rejects(launch(newest), needsNewerPrograms);
  await nodeAt(0).stop();
  await start(0, newest);
  assert.ok(!(await columnIsThere()));
  await assert.rejects(launch(ROOT), /newer than this program: it has the migration 9002-contract\.sql/);
});

const needsNewerPrograms = new RegExp(
  `9002-contract\\.sql needs every program on this database to have the migration 9001, but a server with ${NEWEST} as its newest still runs`,
);
