import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { projectNode, ROOT } from '../../../tools/install.mjs';
import { urlOf } from '../nodes.mjs';
import { isAsAcknowledged, isKept, isOpen, isUnknown, textOf } from './answers.mjs';
import { compareBooks, pictureOf } from './books.mjs';
import { Client } from './client.mjs';
import { each } from './each.mjs';
import { walletOf } from './members.mjs';

const SETTLED_WITHIN_MS = 240_000;
const POLL_MS = 2_000;
/** Each node has 20 connections to the database (deploy/systemd/krapao.env). */
const KEYS_AT_ONCE = 60;
const TRIES_MOST = 30;

/** Proves that nothing acknowledged was lost or doubled. @returns what was found, and `violations` as sentences */
export async function prove({ cluster, folder, api, outside, members, before, load, say }) {
  const startedAt = performance.now();
  const seconds = () => Math.round((performance.now() - startedAt) / 1_000);
  const unfinished = await settle({ load, api, members });
  say(`Everything is final after ${seconds()} s.`);
  const { differences, asked } = await compareNodes({ records: load.records, nodes: cluster.nodes });
  say(`${asked} answers of nodes are compared after ${seconds()} s.`);
  const books = await settledBooks({ records: load.records, api, outside, members, before });
  const audit = await operatorCommand('audit', { ...cluster, folder });
  const reconcile = await operatorCommand('reconcile', { ...cluster, folder });
  const violations = [
    ...load.violations.map((one) => `answer ${JSON.stringify(one)}`),
    ...unfinished,
    ...differences.map((one) => `answers differ: ${JSON.stringify(one)}`),
    ...books,
    ...[audit, reconcile].filter(({ status }) => status !== 0).map(({ output }) => output),
  ];
  return { differences, asked, books, audit: audit.output, reconcile: reconcile.output, violations };
}

/** Asks every kept command again until it is final, and waits for payouts under way. @returns what is left open */
async function settle({ load, api, members }) {
  for (const record of load.records) record.final = record.answer;
  let open = load.records.filter(({ answer }) => answer.status !== 200);
  let busy = members;
  for (let waited = 0; waited < SETTLED_WITHIN_MS && open.length + busy.length > 0; waited += POLL_MS) {
    await wait(POLL_MS);
    await each(open, async (record) => (record.final = await load.ask(record.wish)));
    open = open.filter(({ final }) => isOpen(final));
    const still = [];
    await each(busy, async (member) => {
      const { withdrawal, wallet } = await walletOf(api, member);
      if (withdrawal !== null || wallet.inTransit > 0) still.push(member);
    });
    busy = still;
  }
  return [
    ...open.map(({ name, wish }) => `${name} ${wish.key} is still under way`),
    ...busy.map(({ accountNo }) => `money of account ${accountNo} is still in transit`),
  ];
}

/**
 * Asks every key on every node, each key on one node after the other, many keys at a time.
 * @returns the number of answers, and what differs from another node or from what was acknowledged
 */
async function compareNodes({ records, nodes }) {
  const clients = nodes.machines.map((machine) => new Client(urlOf(machine)));
  const differences = [];
  await each(
    records,
    async (record) => {
      const { name, wish, answer } = record;
      const answers = [];
      for (const client of clients) answers.push(await answerOf(client, wish));
      record.final = answers[0];
      // Refused at last: nothing is kept of a refusal, and nodes may have different reasons.
      if (!isKept(answer) && !answers.some(isKept)) return;
      if (new Set(answers.map(textOf)).size > 1 || !isAsAcknowledged(answer, answers[0])) {
        differences.push({
          name,
          key: wish.key,
          acknowledged: [answer.status, answer.body],
          nodes: answers.map(textOf),
        });
      }
    },
    KEYS_AT_ONCE,
  );
  for (const client of clients) client.close();
  return { differences, asked: records.length * clients.length };
}

/** Asks a node until it answers: on a busy machine calls reach the time limit. @returns the last answer when none comes */
async function answerOf(client, wish) {
  for (let tries = 1; ; tries += 1) {
    const answer = await client.call(wish);
    if (!isUnknown(answer) || tries >= TRIES_MOST) return answer;
    await wait(POLL_MS);
  }
}

/** What differs between wallets, counterparties and answers once payments and payouts under way have ended. */
async function settledBooks({ records, before, ...world }) {
  for (let waited = 0; ; waited += POLL_MS) {
    const books = compareBooks({ records, members: world.members, before, after: await pictureOf(world) });
    if (books.length === 0 || waited >= SETTLED_WITHIN_MS) return books;
    await wait(POLL_MS);
  }
}

/** Runs a command of operators on the cluster. @returns its exit code and its output */
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
  const child = spawn(projectNode(), [join(ROOT, `server/src/cli/${name}.ts`)], { env, cwd: ROOT });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text));
  const status = await new Promise((resolve) => child.once('close', resolve));
  return { status, output };
}
