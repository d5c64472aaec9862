import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import type { Ledger } from '../../src/ledger/index.ts';
import { deposit, listen, type Listener, untilEvents, untilJoined } from '../event/member-socket.ts';
import { type Api, apiClient, type ApiReply } from '../harness/api-client.ts';
import { assertBooksAgree, callsOf, eventually, transfer } from '../harness/games.ts';
import { registerMember, type TestMember } from '../harness/members.ts';
import { fund, ledgerOf } from '../harness/money.ts';
import { type ServerProcess, startServerProcess } from '../harness/server-process.ts';
import { startSystem, type System } from '../harness/system.ts';
import {
  bankFault,
  bankWithin,
  end,
  nothingOpen,
  payoutsTake,
  reaches,
  receivedBy,
  rowsOf,
  withdraw,
} from '../withdraw/payout-fixtures.ts';
import { isFinal, MoneyLoad, type Player } from './money-load.ts';

const DAY_MS = 86_400_000;
const BANK_TIMEOUT_MS = 2_000;
const PLAYERS = 4;
/** Copies of a request sent to each node concurrently: its processes accept connections in turn. */
const COPIES = 4;
const COMMANDS = 60;
const DEPOSITS = 15;
const HOLDS_WITHIN_MS = 1_000;
/** Questions about a payout are at least two seconds apart; less some for timers. */
const ASKED_APART_MS = 1_500;

type Node = { api: Api; server: ServerProcess };

// A node with two API processes and a node with one, on one database.
let folder: string;
let system: System;
let ledger: Ledger;
let nodes: [Node, Node];
let load: MoneyLoad;
let players: Player[];

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'krapao-nodes-'));
  system = await startSystem({ outside: bankWithin(BANK_TIMEOUT_MS) });
  ledger = ledgerOf(system);
  await payoutsTake(system, 30);
  // From here on there are two nodes, each the process that it is in production.
  await system.app.close();
  const secretsFile = join(folder, 'secrets.json');
  writeFileSync(secretsFile, JSON.stringify({ encryptionKey: Buffer.alloc(32, 7).toString('base64') }), {
    mode: 0o600,
  });
  const startNode = async (processes: string): Promise<Node> => {
    const environment = { SECRETS_FILE: secretsFile, API_PROCESSES: processes };
    const server = await startServerProcess(system, 'warn', undefined, environment);
    return { api: apiClient(server.url), server };
  };
  nodes = [await startNode('2'), await startNode('1')];
  load = new MoneyLoad(nodes, system.world);
  players = await Promise.all(Array.from({ length: PLAYERS }, async () => load.seat(await memberWith('1000.00'), 50)));
});
after(async () => {
  for (const { server } of nodes ?? []) await server.stop();
  await ledger?.close();
  await system?.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function memberWith(amount: string): Promise<TestMember> {
  const member = await registerMember({ api: nodes[0].api, world: system.world });
  await fund(ledger, member.id, amount);
  return member;
}
const at = ({ api }: Node) => ({ ...system, api });
/** The same call at every node and process, at the same time. */
const everywhere = (ask: (node: Node) => Promise<ApiReply>): Promise<ApiReply[]> =>
  Promise.all(nodes.flatMap((node) => Array.from({ length: COPIES }, () => ask(node))));
const statusAndBody = ({ status, body }: ApiReply): unknown[] => [status, body];

test('the same keys at all nodes at the same time, and later, have one outcome [R-SCALE-01]', async () => {
  const before = await callsOf(system, 'pg', 'TransferIn');
  for (const kind of ['transfer', 'withdraw', 'qrcode'] as const) {
    await Promise.all(
      players.map(async (player) => {
        const key = randomUUID();
        const ask = (node: Node, amount: number): Promise<ApiReply> => {
          if (kind === 'transfer') return transfer(at(node), player.token, { from: 'WALLET', to: 'pg', amount, key });
          if (kind === 'withdraw') return withdraw(at(node), player, amount, key);
          const [params, body] = [{ bankCode: 'KBANK' }, { amount }];
          return node.api('POST /api/qrcode/{bankCode}', { token: player.token, params, body, idempotencyKey: key });
        };
        const amount = kind === 'withdraw' ? 600 : 10;
        // On a slow machine a copy may get the reply that its command is pending: it is resent.
        const final = (node: Node) => eventually('a final answer', () => ask(node, amount), isFinal);
        const [first, ...others] = await everywhere(final);
        assert.ok(first?.status === 200, `${kind}: ${JSON.stringify([first?.status, first?.body])}`);
        for (const other of [...others, ...(await everywhere(final))]) {
          assert.deepEqual(statusAndBody(other), statusAndBody(first), kind);
        }
        for (const node of nodes) assert.equal((await ask(node, amount + 1)).body.message, 'KEY_INVALID');
      }),
    );
  }
  assert.equal(await callsOf(system, 'pg', 'TransferIn'), before + PLAYERS, 'the provider was called once for each');
  for (const player of players) {
    assert.equal((await rowsOf(system, player.id)).length, 1);
    await assertBooksAgree(system, ledger, player.id, player);
  }
});

test('sockets at every process get the events of commands at all nodes, each once and in order [R-SCALE-01]', async () => {
  const listeners = players.map((player): Listener[] =>
    nodes.flatMap(({ server }) => [1, 2].map(() => listen(server.url, player, { since: '0' }))),
  );
  try {
    for (const listener of listeners.flat()) await untilJoined(listener);
    const enough = load.acknowledged.length + COMMANDS;
    // Commands of a member go to the nodes in turn, those of all members run concurrently; a third process posts
    // deposits.
    await Promise.all([
      ...players.map((player) => load.play(player, () => load.acknowledged.length >= enough)),
      ...players.map(async ({ id }) => {
        for (let count = 0; count < DEPOSITS; count += 1) await deposit(ledger, id, 2);
      }),
    ]);
    for (const [index, { id }] of players.entries()) {
      const happened = (await ledger.eventsSince(id, 0n)).map(({ operationId }) => String(operationId));
      assert.ok(happened.length > COMMANDS / PLAYERS + 2 * DEPOSITS);
      for (const listener of listeners[index] ?? []) {
        await untilEvents(listener, happened.length);
        assert.deepEqual(
          listener.events.map(({ sequence }) => sequence),
          happened,
        );
      }
    }
  } finally {
    for (const { socket } of listeners.flat()) socket.close();
  }
});

/** Callers keep asking, so that every node has just looked when it is set; a second later it holds at all of them. */
async function holdsASecondLater(
  what: string,
  set: () => Promise<unknown>,
  ask: (node: Node) => Promise<ApiReply>,
  isHeld: (reply: ApiReply) => boolean,
): Promise<void> {
  for (const reply of await everywhere(ask)) assert.ok(!isHeld(reply), `${what} holds already`);
  await set();
  const setMs = performance.now();
  while (performance.now() - setMs < HOLDS_WITHIN_MS) {
    await everywhere(ask);
    await wait(Math.min(100, Math.max(1, HOLDS_WITHIN_MS - (performance.now() - setMs))));
  }
  for (const reply of await everywhere(ask)) {
    assert.ok(isHeld(reply), `${what}: ${reply.status} ${JSON.stringify(reply.body)}`);
  }
}
const sql = (text: string, values: unknown[] = []) => system.database.query(text, values);
const isCode =
  (...codes: string[]) =>
  ({ body }: ApiReply): boolean =>
    codes.includes(body.message);

test('switches of the operator hold at every node and process within a second [R-SCALE-01]', async () => {
  const [player] = players as [Player];
  const wallet = ({ api }: Node, member: TestMember = player) => api('GET /api/wallet', { token: member.token });
  await holdsASecondLater(
    'a game in maintenance',
    () => sql(`update game set in_maintenance = true where code = 'pg'`),
    wallet,
    ({ body }) => body.slots.find(({ code }: { code: string }) => code === 'pg').inMaintenance,
  );
  await sql(`update game set in_maintenance = false where code = 'pg'`);
  const poor = await memberWith('10.00');
  await holdsASecondLater(
    'withdrawals from 900 on',
    () => sql(`update lookup_setting set value = jsonb_set(value, '{BAHT,min}', '"900.00"') where name = 'withdraw'`),
    (node) => withdraw(at(node), poor, 700),
    isCode('TRANSFER_MINIMUM'),
  );
  await holdsASecondLater(
    'a denied network',
    () => sql(`insert into lookup_address_rule values ('198.51.100.0/24', 'deny')`),
    ({ api }) =>
      api('POST /api/login', {
        body: { username: '0899999999', password: 'x' },
        headers: { 'x-forwarded-for': '198.51.100.9' },
      }),
    isCode('INVALID_IP'),
  );
  const [suspended, deactivated] = [await memberWith('10.00'), await memberWith('10.00')];
  await holdsASecondLater(
    'a suspended wallet',
    () => sql(`insert into wallet_suspension (member_id, reason) values ($1, 'under review')`, [suspended.id]),
    (node) => wallet(node, suspended),
    isCode('NO_WALLET'),
  );
  await holdsASecondLater(
    'a deactivated member',
    () => sql(`update member set status = 'inactive' where id = $1`, [deactivated.id]),
    (node) => wallet(node, deactivated),
    isCode('INVALID_USER_2'),
  );
  const gone = (value: string) => sql(`update lookup_setting set value = $1 where name = 'status'`, [value]);
  await holdsASecondLater('a site that is gone', () => gone('{"terminated":"gone"}'), wallet, isCode('gone'));
  await gone('{"terminated":""}');
  await wait(HOLDS_WITHIN_MS);
});

test('limits are counted over all nodes, and a changed one holds at every node within a second [R-SCALE-01]', async () => {
  const [player, other] = players as [Player, Player];
  const rotate =
    ({ token }: TestMember) =>
    ({ api }: Node) =>
      api('POST /api/spinwheel/seed', { token, body: {} });
  const allowed = (replies: ApiReply[]): number => {
    for (const reply of replies) assert.ok(reply.status === 200 || isCode('REQUEST_LIMIT')(reply), `${reply.status}`);
    return replies.filter(({ status }) => status === 200).length;
  };
  const hits = (name: string, count: number) => sql('update lookup_limit set hits = $2 where name = $1', [name, count]);
  await hits('spin-seed.member', 5);
  await hits('login.failure.address', 3);
  await wait(HOLDS_WITHIN_MS);
  // Of a member, at the same moment: as many as one node would allow.
  assert.equal(allowed(await everywhere(rotate(player))), 5);
  // Of an address, on different nodes; a member who logged in from there before still logs in, at every node.
  const logInThere = ({ api }: Node) =>
    api('POST /api/login', {
      body: { username: player.phone, password: player.password },
      headers: { 'x-forwarded-for': '203.0.113.7' },
    });
  assert.equal((await logInThere(nodes[0])).status, 200);
  const guess = ({ api }: Node) =>
    api('POST /api/login', {
      body: { username: other.phone, password: 'wrong-password' },
      headers: { 'x-forwarded-for': '203.0.113.7' },
    });
  for (let count = 0; count < 3; count += 1) {
    assert.equal((await guess(nodes[count % 2] as Node)).body.message, 'WRONG_CREDENTIAL');
  }
  for (const reply of await everywhere(guess)) assert.equal(reply.body.message, 'REQUEST_LIMIT');
  for (const node of nodes) assert.equal((await logInThere(node)).status, 200);
  // Changed: what was over the limit is allowed again, everywhere.
  await holdsASecondLater(
    'a higher limit',
    () => hits('spin-seed.member', 10_000),
    rotate(player),
    ({ status }) => status === 200,
  );
  assert.equal(allowed(await everywhere(rotate(other))), nodes.length * COPIES);
});

test('a job is done by one node, and another takes over from one that is killed [R-SCALE-01]', async () => {
  const asked = async (): Promise<number[]> => {
    const { body } = await system.world('GET /control/calls?target=bank&call=payout-status&limit=1000');
    return (body as { at: string }[]).map(({ at: came }) => Date.parse(came)).toSorted((a, b) => a - b);
  };
  await nothingOpen(system);
  await payoutsTake(system, DAY_MS);
  const member = await memberWith('1000.00');
  const [survivor, killed] = nodes;
  const before = (await asked()).length;
  const sendsBefore = (await callsTo('payouts')).length;
  await bankFault(system, { fault: 'slow', delayMs: BANK_TIMEOUT_MS - 500, applied: true });
  const key = randomUUID();
  const answer = withdraw(at(killed), member, 950, key).catch(() => undefined);
  // It holds the row under its lease while the bank works on its call.
  await eventually(
    'the payout at the bank',
    async () => (await rowsOf(system, member.id))[0]?.state,
    (state) => state === 'SENT',
  );
  await killed.server.kill();
  await answer;
  const [row] = await rowsOf(system, member.id);
  assert.ok(row);
  // The survivor's processes ask the bank, each round once.
  await eventually('three questions', asked, (all) => all.length >= before + 3);
  const rounds = (await asked()).slice(before);
  for (const [index, cameMs] of rounds.entries()) {
    assert.ok(index === 0 || cameMs - (rounds[index - 1] ?? 0) > ASKED_APART_MS, `asked twice: ${rounds.join()}`);
  }
  await eventually(
    'the payout at the bank',
    () => callsTo('payouts'),
    ({ length }) => length > sendsBefore,
  );
  await end(system, row.reference, 'PAID');
  await reaches(system, row.reference, 'PAID');
  assert.equal((await callsTo('payouts')).length, sendsBefore + 1, 'the bank received it once');
  assert.equal(await receivedBy(system, member), '950.00');
  const again = await withdraw(at(survivor), member, 950, key);
  assert.deepEqual([again.status, again.body.reference], [200, row.reference]);
});
const callsTo = async (call: string): Promise<unknown[]> =>
  (await system.world(`GET /control/calls?target=bank&call=${call}&limit=1000`)).body as unknown[];
