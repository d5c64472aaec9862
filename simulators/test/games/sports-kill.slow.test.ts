import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { outsideFor, temporaryFolder, until } from '../harness.ts';
import { Bettor, bettor, finish } from './bettors.ts';

const MAIN_PATH = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
const HOME_WIN = { market: 'result', line: null, pick: 'home' };

async function start(t: TestContext, folder: string): Promise<{ child: ChildProcess; address: string }> {
  const env = { DATA_DIR: folder, OUTSIDE_FILE: join(folder, 'outside.json'), SIMULATORS_PORT: '0' };
  const child = spawn(process.execPath, [MAIN_PATH], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout?.on('data', (chunk) => (text += chunk));
  t.after(() => child.kill('SIGKILL'));
  await until(() => /ready http\S+\n/.test(text), 'the ready line');
  return { child, address: /ready (http\S+)/.exec(text)?.[1] ?? '' };
}

function killProcess(child: ChildProcess): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  child.once('exit', () => resolve());
  child.kill('SIGKILL');
  return promise;
}

function inDatabase(folder: string, sql: string, ...values: number[]): void {
  const database = new DatabaseSync(join(folder, 'simulators.sqlite'));
  database.prepare(sql).run(...values);
  database.close();
}

test('after kill -9 matches continue, and those that ended in between are settled once, also after further kills', async (t) => {
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, 'outside.json'), JSON.stringify(outsideFor('http://127.0.0.1:1/')));
  const firstProcess = await start(t, folder);
  const mali = await bettor(firstProcess.address, 'mali01', '100.00');
  const match = await mali.laterMatch();
  const { bet } = await mali.place(match, HOME_WIN, 4_000);
  const otherMatch = await mali.matchBefore(match);
  await mali.place(otherMatch, HOME_WIN, 1_000);
  await killProcess(firstProcess.child);

  // Simulates a process that died after it stored the ending, before it settled any bet.
  inDatabase(folder, 'insert into sports_ending (match_id, home, away, at) values (?, 3, 0, ?)', match.id, Date.now());
  const secondProcess = await start(t, folder);
  const returningBettor = new Bettor(secondProcess.address, mali.token);
  await until(async () => (await returningBettor.board()).openBets === 1, 'the settlement without a request');
  const balanceAfterWin = 10_000 - 5_000 + bet.possible;
  assert.equal((await returningBettor.board()).balance, balanceAfterWin);
  const otherMatchAfter = await returningBettor.match(otherMatch.id);
  assert.deepEqual([otherMatchAfter.kickoff, otherMatchAfter.markets], [otherMatch.kickoff, otherMatch.markets]);
  await finish(secondProcess.address, otherMatch.id, 0, 2);
  await killProcess(secondProcess.child);

  const thirdProcess = await start(t, folder);
  const laterBettor = new Bettor(thirdProcess.address, mali.token);
  const { balance, outstanding, settled } = await laterBettor.bets();
  assert.deepEqual([balance, outstanding, settled.map(({ state }) => state)], [balanceAfterWin, 0, ['lost', 'won']]);
  assert.equal((await finish(thirdProcess.address, match.id, 3, 0)).status, 200);
  assert.equal((await finish(thirdProcess.address, match.id, 0, 3)).body.error, 'match_over');
  assert.equal((await laterBettor.board()).balance, balanceAfterWin);
});

test('a match that ended by the clock while the simulators were down is settled by its score', async (t) => {
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, 'outside.json'), JSON.stringify(outsideFor('http://127.0.0.1:1/')));
  const firstProcess = await start(t, folder);
  const mali = await bettor(firstProcess.address, 'mali01', '100.00');
  const { matches } = await mali.board();
  const finishedMatch = matches.find(({ phase }) => phase === 'finished');
  assert.ok(finishedMatch);
  const { bet } = await mali.place(await mali.laterMatch(), HOME_WIN, 4_000);
  await killProcess(firstProcess.child);

  // Moves the bet to a match that has ended.
  inDatabase(folder, "update round set bets = json_set(bets, '$.matchId', ?)", finishedMatch.id);
  const secondProcess = await start(t, folder);
  const returningBettor = new Bettor(secondProcess.address, mali.token);
  await until(async () => (await returningBettor.board()).openBets === 0, 'the settlement after the start');
  const { balance, settled } = await returningBettor.bets();
  assert.deepEqual(settled[0]?.match.score, finishedMatch.score);
  assert.equal(balance, finishedMatch.score.home > finishedMatch.score.away ? 6_000 + bet.possible : 6_000);
});
