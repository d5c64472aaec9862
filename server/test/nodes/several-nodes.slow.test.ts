import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import type { Ledger } from '../../src/ledger/index.ts';
import {
  postDeposits,
  openEventListener,
  type EventListener,
  waitForEvents,
  waitForJoins,
} from '../event/member-socket.ts';
import { type Api, apiClient, type ApiReply } from '../harness/api-client.ts';
import { assertBooksAgree, countProviderCalls, waitUntilResult, transfer } from '../harness/games.ts';
import { registerMember, type TestMember } from '../harness/members.ts';
import { fundWallet, createTestLedger } from '../harness/money.ts';
import { type ServerProcess, startServerProcess } from '../harness/server-process.ts';
import { startSystem, type System } from '../harness/system.ts';
import {
  injectBankFault,
  outsideWithBankTimeout,
  endPayout,
  waitForNoOpenWithdrawals,
  setPayoutDelay,
  waitForState,
  readReceivedAmount,
  readWithdrawalRows,
  withdraw,
} from '../withdraw/payout-fixtures.ts';
import { isFinalReply, MoneyLoad, type LoadPlayer } from './money-load.ts';

const DAY_MS = 86_400_000;
const BANK_TIMEOUT_MS = 2_000;
const PLAYER_COUNT = 4;
/** Copies of a request sent to each node concurrently: its processes accept connections in turn. */
const COPY_COUNT = 4;
const COMMAND_COUNT = 60;
const DEPOSIT_COUNT = 15;
const HOLDS_WITHIN_MS = 1_000;
/** Questions about a payout are at least two seconds apart; less some for timers. */
const ASKED_APART_MS = 1_500;

type RunningNode = { api: Api; server: ServerProcess };

// A node with two API processes and a node with one, on one database.
let folder: string;
let system: System;
let ledger: Ledger;
let nodes: [RunningNode, RunningNode];
let moneyLoad: MoneyLoad;
let players: LoadPlayer[];

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'krapao-nodes-'));
  system = await startSystem({ outside: outsideWithBankTimeout(BANK_TIMEOUT_MS) });
  ledger = createTestLedger(system);
  await setPayoutDelay(system, 30);
  // From now on there are two nodes, as production processes.
  await system.app.close();
  const secretsFile = join(folder, 'secrets.json');
  writeFileSync(secretsFile, JSON.stringify({ encryptionKey: Buffer.alloc(32, 7).toString('base64') }), {
    mode: 0o600,
  });
  const startNode = async (processCount: string): Promise<RunningNode> => {
    const environment = { SECRETS_FILE: secretsFile, API_PROCESSES: processCount };
    const server = await startServerProcess(system, 'warn', undefined, environment);
    return { api: apiClient(server.url), server };
  };
  nodes = [await startNode('2'), await startNode('1')];
  moneyLoad = new MoneyLoad(nodes, system.simulatorsApi);
  players = await Promise.all(
    Array.from({ length: PLAYER_COUNT }, async () => moneyLoad.openPlayer(await memberWith('1000.00'), 50)),
  );
});
after(async () => {
  for (const { server } of nodes ?? []) await server.stop();
  await ledger?.close();
  await system?.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function memberWith(amount: string): Promise<TestMember> {
  const member = await registerMember({ api: nodes[0].api, simulatorsApi: system.simulatorsApi });
  await fundWallet(ledger, member.id, amount);
  return member;
}
const systemAt = ({ api }: RunningNode) => ({ ...system, api });
/** The same call at every node and process, at the same time. */
const requestFromAll = (sendRequest: (node: RunningNode) => Promise<ApiReply>): Promise<ApiReply[]> =>
  Promise.all(nodes.flatMap((node) => Array.from({ length: COPY_COUNT }, () => sendRequest(node))));
const statusAndBody = ({ status, body }: ApiReply): unknown[] => [status, body];

test('the same keys at all nodes, concurrently and later, have one outcome [R-SCALE-01]', async () => {
  const before = await countProviderCalls(system, 'pg', 'TransferIn');
  for (const commandKind of ['transfer', 'withdraw', 'qrcode'] as const) {
    await Promise.all(
      players.map(async (player) => {
        const key = randomUUID();
        const sendCommand = (node: RunningNode, amount: number): Promise<ApiReply> => {
          if (commandKind === 'transfer')
            return transfer(systemAt(node), player.token, { from: 'WALLET', to: 'pg', amount, key });
          if (commandKind === 'withdraw') return withdraw(systemAt(node), player, amount, key);
          const [params, body] = [{ bankCode: 'KBANK' }, { amount }];
          return node.api('POST /api/qrcode/{bankCode}', { token: player.token, params, body, idempotencyKey: key });
        };
        const amount = commandKind === 'withdraw' ? 600 : 10;
        // On a slow machine a copy may get the reply that its command is pending: then it is repeated.
        const waitForFinalReply = (node: RunningNode) =>
          waitUntilResult('a final answer', () => sendCommand(node, amount), isFinalReply);
        const [first, ...otherReplies] = await requestFromAll(waitForFinalReply);
        assert.ok(first?.status === 200, `${commandKind}: ${JSON.stringify([first?.status, first?.body])}`);
        for (const otherReply of [...otherReplies, ...(await requestFromAll(waitForFinalReply))]) {
          assert.deepEqual(statusAndBody(otherReply), statusAndBody(first), commandKind);
        }
        for (const node of nodes) assert.equal((await sendCommand(node, amount + 1)).body.message, 'KEY_INVALID');
      }),
    );
  }
  assert.equal(
    await countProviderCalls(system, 'pg', 'TransferIn'),
    before + PLAYER_COUNT,
    'the provider was called once for each',
  );
  for (const player of players) {
    assert.equal((await readWithdrawalRows(system, player.id)).length, 1);
    await assertBooksAgree(system, ledger, player.id, player);
  }
});

test('sockets at every process get the events of commands at all nodes, each once and in order [R-SCALE-01]', async () => {
  const listeners = players.map((player): EventListener[] =>
    nodes.flatMap(({ server }) => [1, 2].map(() => openEventListener(server.url, player, { since: '0' }))),
  );
  try {
    for (const listener of listeners.flat()) await waitForJoins(listener);
    const commandGoal = moneyLoad.acknowledgedCommands.length + COMMAND_COUNT;
    // A member's commands go to the nodes in turn; different members' commands run concurrently, and a third process
    // posts deposits.
    await Promise.all([
      ...players.map((player) => moneyLoad.play(player, () => moneyLoad.acknowledgedCommands.length >= commandGoal)),
      ...players.map(async ({ id }) => {
        for (let count = 0; count < DEPOSIT_COUNT; count += 1) await postDeposits(ledger, id, 2);
      }),
    ]);
    for (const [index, { id }] of players.entries()) {
      const operationIds = (await ledger.eventsSince(id, 0n)).map(({ operationId }) => String(operationId));
      assert.ok(operationIds.length > COMMAND_COUNT / PLAYER_COUNT + 2 * DEPOSIT_COUNT);
      for (const listener of listeners[index] ?? []) {
        await waitForEvents(listener, operationIds.length);
        assert.deepEqual(
          listener.events.map(({ sequence }) => sequence),
          operationIds,
        );
      }
    }
  } finally {
    for (const { socket } of listeners.flat()) socket.close();
  }
});

/**
 * Requests continue on every node, so that each has just read the old setting. A second later the new one must apply on
 * all nodes.
 */
async function assertAppliedWithinSecond(
  description: string,
  changeSetting: () => Promise<unknown>,
  sendRequest: (node: RunningNode) => Promise<ApiReply>,
  isHeld: (reply: ApiReply) => boolean,
): Promise<void> {
  for (const reply of await requestFromAll(sendRequest)) assert.ok(!isHeld(reply), `${description} holds already`);
  await changeSetting();
  const setMs = performance.now();
  while (performance.now() - setMs < HOLDS_WITHIN_MS) {
    await requestFromAll(sendRequest);
    await wait(Math.min(100, Math.max(1, HOLDS_WITHIN_MS - (performance.now() - setMs))));
  }
  for (const reply of await requestFromAll(sendRequest)) {
    assert.ok(isHeld(reply), `${description}: ${reply.status} ${JSON.stringify(reply.body)}`);
  }
}
const sql = (text: string, values: unknown[] = []) => system.database.query(text, values);
const isCode =
  (...codes: string[]) =>
  ({ body }: ApiReply): boolean =>
    codes.includes(body.message);

test('operator switches apply at every node and process within a second [R-SCALE-01]', async () => {
  const [player] = players as [LoadPlayer];
  const wallet = ({ api }: RunningNode, member: TestMember = player) => api('GET /api/wallet', { token: member.token });
  await assertAppliedWithinSecond(
    'a game in maintenance',
    () => sql(`update game set in_maintenance = true where code = 'pg'`),
    wallet,
    ({ body }) => body.slots.find(({ code }: { code: string }) => code === 'pg').inMaintenance,
  );
  await sql(`update game set in_maintenance = false where code = 'pg'`);
  const poorMember = await memberWith('10.00');
  await assertAppliedWithinSecond(
    'withdrawals from 900 on',
    () =>
      sql(
        `update operator_data_setting set value = jsonb_set(value, '{BAHT,min}', '"900.00"') where name = 'withdraw'`,
      ),
    (node) => withdraw(systemAt(node), poorMember, 700),
    isCode('TRANSFER_MINIMUM'),
  );
  await assertAppliedWithinSecond(
    'a denied network',
    () => sql(`insert into operator_data_address_rule values ('198.51.100.0/24', 'deny')`),
    ({ api }) =>
      api('POST /api/login', {
        body: { username: '0899999999', password: 'x' },
        headers: { 'x-forwarded-for': '198.51.100.9' },
      }),
    isCode('INVALID_IP'),
  );
  const [suspendedMember, deactivatedMember] = [await memberWith('10.00'), await memberWith('10.00')];
  await assertAppliedWithinSecond(
    'a suspended wallet',
    () => sql(`insert into wallet_suspension (member_id, reason) values ($1, 'under review')`, [suspendedMember.id]),
    (node) => wallet(node, suspendedMember),
    isCode('NO_WALLET'),
  );
  await assertAppliedWithinSecond(
    'a deactivated member',
    () => sql(`update member set status = 'inactive' where id = $1`, [deactivatedMember.id]),
    (node) => wallet(node, deactivatedMember),
    isCode('INVALID_USER_2'),
  );
  const setStatusGone = (value: string) =>
    sql(`update operator_data_setting set value = $1 where name = 'status'`, [value]);
  await assertAppliedWithinSecond(
    'a site that is gone',
    () => setStatusGone('{"terminated":"gone"}'),
    wallet,
    isCode('gone'),
  );
  await setStatusGone('{"terminated":""}');
  await wait(HOLDS_WITHIN_MS);
});

test('rate limits count over all nodes, and a changed one applies at every node within a second [R-SCALE-01]', async () => {
  const [player, otherPlayer] = players as [LoadPlayer, LoadPlayer];
  const roundRobin =
    ({ token }: TestMember) =>
    ({ api }: RunningNode) =>
      api('POST /api/spinwheel/seed', { token, body: {} });
  const countAllowed = (replies: ApiReply[]): number => {
    for (const reply of replies) assert.ok(reply.status === 200 || isCode('REQUEST_LIMIT')(reply), `${reply.status}`);
    return replies.filter(({ status }) => status === 200).length;
  };
  const setLimitHits = (name: string, count: number) =>
    sql('update operator_data_limit set hits = $2 where name = $1', [name, count]);
  await setLimitHits('spin-seed.member', 5);
  await setLimitHits('login.failure.address', 3);
  await wait(HOLDS_WITHIN_MS);
  // Concurrent requests of one member: as many succeed as one node would allow.
  assert.equal(countAllowed(await requestFromAll(roundRobin(player))), 5);
  // Requests of one address on different nodes. A member who logged in from the address before still can, on every
  // node.
  const logInAtNode = ({ api }: RunningNode) =>
    api('POST /api/login', {
      body: { username: player.phone, password: player.password },
      headers: { 'x-forwarded-for': '203.0.113.7' },
    });
  assert.equal((await logInAtNode(nodes[0])).status, 200);
  const guessCode = ({ api }: RunningNode) =>
    api('POST /api/login', {
      body: { username: otherPlayer.phone, password: 'wrong-password' },
      headers: { 'x-forwarded-for': '203.0.113.7' },
    });
  for (let count = 0; count < 3; count += 1) {
    assert.equal((await guessCode(nodes[count % 2] as RunningNode)).body.message, 'WRONG_CREDENTIAL');
  }
  for (const reply of await requestFromAll(guessCode)) assert.equal(reply.body.message, 'REQUEST_LIMIT');
  for (const node of nodes) assert.equal((await logInAtNode(node)).status, 200);
  // After the change, requests over the old limit are allowed on all nodes.
  await assertAppliedWithinSecond(
    'a higher limit',
    () => setLimitHits('spin-seed.member', 10_000),
    roundRobin(player),
    ({ status }) => status === 200,
  );
  assert.equal(countAllowed(await requestFromAll(roundRobin(otherPlayer))), nodes.length * COPY_COUNT);
});

test('a job runs on one node, and another node takes over when that is killed [R-SCALE-01]', async () => {
  const readInquiryTimes = async (): Promise<number[]> => {
    const { body } = await system.simulatorsApi('GET /control/calls?target=bank&call=payout-status&limit=1000');
    return (body as { at: string }[]).map(({ at: calledAt }) => Date.parse(calledAt)).toSorted((a, b) => a - b);
  };
  await waitForNoOpenWithdrawals(system);
  await setPayoutDelay(system, DAY_MS);
  const member = await memberWith('1000.00');
  const [survivingNode, killedNode] = nodes;
  const before = (await readInquiryTimes()).length;
  const payoutCallsBefore = (await readBankCalls('payouts')).length;
  await injectBankFault(system, { fault: 'slow', delayMs: BANK_TIMEOUT_MS - 500, applied: true });
  const key = randomUUID();
  const pendingReply = withdraw(systemAt(killedNode), member, 950, key).catch(() => undefined);
  // The killed node holds the row's lease while the bank processes its call.
  await waitUntilResult(
    'the payout at the bank',
    async () => (await readWithdrawalRows(system, member.id))[0]?.state,
    (state) => state === 'SENT',
  );
  await killedNode.server.kill();
  await pendingReply;
  const [row] = await readWithdrawalRows(system, member.id);
  assert.ok(row);
  // The surviving node's processes inquire, once per round.
  await waitUntilResult('three questions', readInquiryTimes, (inquiryTimes) => inquiryTimes.length >= before + 3);
  const rounds = (await readInquiryTimes()).slice(before);
  for (const [index, cameMs] of rounds.entries()) {
    assert.ok(index === 0 || cameMs - (rounds[index - 1] ?? 0) > ASKED_APART_MS, `asked twice: ${rounds.join()}`);
  }
  await waitUntilResult(
    'the payout at the bank',
    () => readBankCalls('payouts'),
    ({ length }) => length > payoutCallsBefore,
  );
  await endPayout(system, row.reference, 'PAID');
  await waitForState(system, row.reference, 'PAID');
  assert.equal((await readBankCalls('payouts')).length, payoutCallsBefore + 1, 'the bank received it once');
  assert.equal(await readReceivedAmount(system, member), '950.00');
  const repeatedReply = await withdraw(systemAt(survivingNode), member, 950, key);
  assert.deepEqual([repeatedReply.status, repeatedReply.body.reference], [200, row.reference]);
});
const readBankCalls = async (call: string): Promise<unknown[]> =>
  (await system.simulatorsApi(`GET /control/calls?target=bank&call=${call}&limit=1000`)).body as unknown[];
