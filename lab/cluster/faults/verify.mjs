import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { projectNode, ROOT } from '../../../tools/install.mjs';
import { urlOf } from '../nodes.mjs';
import { compareBooks, readBooks } from './books.mjs';
import { Client } from './client.mjs';
import { forEachConcurrent } from './concurrency.mjs';
import { readWallet } from './members.mjs';
import { isAsAcknowledged, isKept, isOpen, isUnknown, textOf } from './replies.mjs';

const SETTLE_TIMEOUT_MS = 240_000;
const POLL_MS = 2_000;
/** Each node has 20 connections to the database (deploy/systemd/krapao.env). */
const CONCURRENT_KEYS = 60;
const TRIES_MAX = 30;

/** Verifies that no acknowledged command was lost or doubled. @returns findings, and `violations` as messages */
export async function verify({ cluster, folder, api, outside, members, before, load, say }) {
  const startedAt = performance.now();
  const seconds = () => Math.round((performance.now() - startedAt) / 1_000);
  const unfinished = await settleCommands({ load, api, members });
  say(`Everything is final after ${seconds()} s.`);
  const { differences, compared } = await compareNodes({ records: load.records, nodes: cluster.nodes });
  say(`${compared} replies of nodes are compared after ${seconds()} s.`);
  const books = await settledBooks({ records: load.records, api, outside, members, before });
  const audit = await operatorCommand('audit', { ...cluster, folder });
  const reconcile = await operatorCommand('reconcile', { ...cluster, folder });
  const violations = [
    ...load.violations.map((violation) => `reply ${JSON.stringify(violation)}`),
    ...unfinished,
    ...differences.map((difference) => `replies differ: ${JSON.stringify(difference)}`),
    ...books,
    ...[audit, reconcile].filter(({ status }) => status !== 0).map(({ output }) => output),
  ];
  return { differences, compared, books, audit: audit.output, reconcile: reconcile.output, violations };
}

/** Repeats each kept command until it is final and waits for pending payouts. @returns messages about open ones */
async function settleCommands({ load, api, members }) {
  for (const record of load.records) record.final = record.reply;
  let open = load.records.filter(({ reply }) => reply.status !== 200);
  let busyMembers = members;
  for (let waitedMs = 0; waitedMs < SETTLE_TIMEOUT_MS && open.length + busyMembers.length > 0; waitedMs += POLL_MS) {
    await wait(POLL_MS);
    await forEachConcurrent(open, async (record) => (record.final = await load.send(record.request)));
    open = open.filter(({ final }) => isOpen(final));
    const pendingMembers = [];
    await forEachConcurrent(busyMembers, async (member) => {
      const { withdrawal, wallet } = await readWallet(api, member);
      if (withdrawal !== null || wallet.inTransit > 0) pendingMembers.push(member);
    });
    busyMembers = pendingMembers;
  }
  return [
    ...open.map(({ name, request }) => `${name} ${request.key} is still pending`),
    ...busyMembers.map(({ accountNo }) => `money of account ${accountNo} is still in transit`),
  ];
}

/**
 * Sends each key to all nodes in sequence, many keys concurrently.
 * @returns number of compared replies, and those that differ between nodes or from the acknowledgement
 */
async function compareNodes({ records, nodes }) {
  const clients = nodes.machines.map((machine) => new Client(urlOf(machine)));
  const differences = [];
  await forEachConcurrent(
    records,
    async (record) => {
      const { name, request, reply } = record;
      const replies = [];
      for (const client of clients) replies.push(await callUntilReply(client, request));
      record.final = replies[0];
      // Finally refused: refusals are not kept, and nodes may have different reasons.
      if (!isKept(reply) && !replies.some(isKept)) return;
      if (new Set(replies.map(textOf)).size > 1 || !isAsAcknowledged(reply, replies[0])) {
        differences.push({
          name,
          key: request.key,
          acknowledged: [reply.status, reply.body],
          nodes: replies.map(textOf),
        });
      }
    },
    CONCURRENT_KEYS,
  );
  for (const client of clients) client.close();
  return { differences, compared: records.length * clients.length };
}

/** Calls a node until it replies: on a busy machine calls time out. @returns the last attempt if none succeeds */
async function callUntilReply(client, request) {
  for (let attempt = 1; ; attempt += 1) {
    const reply = await client.call(request);
    if (!isUnknown(reply) || attempt >= TRIES_MAX) return reply;
    await wait(POLL_MS);
  }
}

/** Differences between wallets, counterparties and replies after pending payments and payouts have ended. */
async function settledBooks({ records, before, ...context }) {
  for (let waitedMs = 0; ; waitedMs += POLL_MS) {
    const books = compareBooks({ records, members: context.members, before, after: await readBooks(context) });
    if (books.length === 0 || waitedMs >= SETTLE_TIMEOUT_MS) return books;
    await wait(POLL_MS);
  }
}

/** Runs an operator command on the cluster. @returns exit code and output */
async function operatorCommand(name, { databaseUrl, secretsFile, outsideFile, folder }) {
  const { PATH, HOME } = process.env;
  const env = {
    PATH,
    HOME,
    DATABASE_URL: databaseUrl,
    SECRETS_FILE: secretsFile,
    OUTSIDE_FILE: outsideFile,
    DATA_DIR: folder,
  };
  const child = spawn(projectNode(), [join(ROOT, 'server/src/cli/krapao.ts'), name], { env, cwd: ROOT });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text));
  const status = await new Promise((resolve) => child.once('close', resolve));
  return { status, output };
}
