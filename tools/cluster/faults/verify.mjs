import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { projectNode, ROOT } from '../../install.mjs';
import { urlOf } from '../nodes.mjs';
import { Client } from './client.mjs';
import { isKept } from './load.mjs';
import { GAMES, walletOf } from './members.mjs';

const SETTLED_WITHIN_MS = 240_000;
const POLL_MS = 2_000;
const AT_ONCE = 6;

/** Asks every kept command again until it is final, and waits for payouts under way. @returns what is left open */
export async function settle({ load, api, members }) {
  let open = load.records.filter(({ answer }) => answer.status !== 200);
  let busy = members;
  for (let waited = 0; waited < SETTLED_WITHIN_MS && open.length + busy.length > 0; waited += POLL_MS) {
    await wait(POLL_MS);
    await each(open, async (record) => (record.final = await load.ask(record.wish)));
    open = open.filter(({ final }) => [0, 202, 429, 503].includes(final.status));
    const wallets = await Promise.all(members.map(async (member) => [member, await walletOf(api, member)]));
    busy = wallets.filter(([, { withdrawal, wallet }]) => withdrawal !== null || wallet.inTransit > 0);
  }
  return [
    ...open.map(({ name, wish }) => `${name} ${wish.key} is still under way`),
    ...busy.map(([{ accountNo }]) => `money of account ${accountNo} is still in transit`),
  ];
}

/** Asks every key on every node. @returns what differs, from another node or from what was acknowledged */
export async function compareNodes({ load, nodes }) {
  const clients = nodes.machines.map((machine) => new Client(urlOf(machine)));
  const differences = [];
  await each(load.records, async (record) => {
    const { name, wish, answer } = record;
    const answers = [];
    for (const client of clients) answers.push(await client.call(wish));
    record.final = answers[0];
    const said = answers.map(({ status, body }) => JSON.stringify([status, body]));
    // Refused at last: nothing is kept of a refusal, and nodes may have different reasons.
    if (!isKept(answer) && !answers.some(isKept)) return;
    if (new Set(said).size > 1 || !isAsAcknowledged(answer, answers[0])) {
      differences.push({ name, key: wish.key, acknowledged: [answer.status, answer.body], nodes: said });
    }
  });
  for (const client of clients) client.close();
  return differences;
}

/** What was under way has ended, either way; everything else is answered as before. */
function isAsAcknowledged(first, now) {
  if (!isKept(first)) return true;
  if (first.status === 200)
    return JSON.stringify([now.status, now.body]) === JSON.stringify([first.status, first.body]);
  return isKept(now) ? now.body.reference === first.body.reference : now.body?.message === 'TRANSFER_FAIL';
}

/** Money of each member as the counterparties have it, with what the members' own movements must have made of it. */
export async function pictureOf({ api, outside, members }) {
  const totals = await outside.must({ path: '/control/totals' });
  const amount = (text) => Math.round(Number(text) * 100);
  return Promise.all(
    members.map(async (member) => {
      const { wallet } = await walletOf(api, member);
      const account = totals.bank.find(({ accountNo }) => accountNo === member.accountNo);
      const games = GAMES.map((game) => {
        const name = member.players[game].toLowerCase();
        const player = totals.games.find(
          ({ provider, username }) => provider === game && username.toLowerCase() === name,
        );
        return { in: amount(player.transferredIn), out: amount(player.transferredOut) };
      });
      const bank = { paidIn: amount(account.out), paidOut: amount(account.in) };
      return { wallet: amount(wallet.amount), inTransit: amount(wallet.inTransit), bank, games };
    }),
  );
}

/**
 * Checks each member's wallet against payments at the bank and movements at the providers, and those movements against the final
 * answers. @returns sentences about what was lost or doubled, in satang
 */
export function compareBooks({ load, members, before, after }) {
  return members.flatMap((member, index) => {
    const [was, is] = [before[index], after[index]];
    const mine = load.records.filter((record) => record.member === member && record.final?.status === 200);
    const found = [];
    let expected = was.wallet + is.bank.paidIn - was.bank.paidIn - (is.bank.paidOut - was.bank.paidOut);
    for (const [number, game] of GAMES.entries()) {
      const [inBefore, inAfter] = [was.games[number].in, is.games[number].in];
      const [outBefore, outAfter] = [was.games[number].out, is.games[number].out];
      expected += outAfter - outBefore - (inAfter - inBefore);
      const answered = (side) => sumOf(mine.filter(({ wish }) => wish.body[side] === game));
      compare(found, `${game} in`, inAfter - inBefore, answered('to'));
      compare(found, `${game} out`, outAfter - outBefore, answered('from'));
    }
    compare(found, 'wallet', is.wallet + is.inTransit, expected);
    return found.map((what) => `account ${member.accountNo}: ${what}`);
  });
}

const sumOf = (records) => records.reduce((sum, { wish }) => sum + wish.body.amount * 100, 0);

function compare(found, what, is, expected) {
  if (is !== expected) found.push(`${what} ${is} instead of ${expected}`);
}

/** Runs a command of operators on the cluster. @returns its exit code and its output */
export async function operatorCommand(name, { databaseUrl, secretsFile, outsideFile, folder }) {
  const { PATH, HOME } = process.env;
  const env = {
    PATH,
    HOME,
    DATABASE_URL: databaseUrl,
    SECRETS_FILE: secretsFile,
    OUTSIDE_FILE: outsideFile,
    DATA_DIR: folder,
  };
  const child = spawn(projectNode(), [join(ROOT, `server/src/commands/${name}.ts`)], { env, cwd: ROOT });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text));
  const status = await new Promise((resolve) => child.once('close', resolve));
  return { status, output };
}

async function each(list, work) {
  const rest = [...list];
  const run = async () => {
    for (let one = rest.shift(); one !== undefined; one = rest.shift()) await work(one);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, run));
}
