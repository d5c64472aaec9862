import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Bettor, bettor, finish } from './bettors.ts';
import { outsideFor, temporaryFolder, until } from '../harness.ts';

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
const HOME = { market: 'result', line: null, pick: 'home' };

async function start(t: TestContext, folder: string): Promise<{ child: ChildProcess; address: string }> {
  const env = { DATA_DIR: folder, OUTSIDE_FILE: join(folder, 'outside.json'), SIMULATORS_PORT: '0' };
  const child = spawn(process.execPath, [MAIN], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout?.on('data', (part) => (text += part));
  t.after(() => child.kill('SIGKILL'));
  await until(() => /ready http\S+\n/.test(text), 'the ready line');
  return { child, address: /ready (http\S+)/.exec(text)?.[1] ?? '' };
}

function killed(child: ChildProcess): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  child.once('exit', () => resolve());
  child.kill('SIGKILL');
  return promise;
}

function inDatabase(folder: string, sql: string, ...values: number[]): void {
  const db = new DatabaseSync(join(folder, 'simulators.sqlite'));
  db.prepare(sql).run(...values);
  db.close();
}

test('after kill -9 the same matches continue, and matches that ended meanwhile are settled once, also after further kills', async (t) => {
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, 'outside.json'), JSON.stringify(outsideFor('http://127.0.0.1:1/')));
  const first = await start(t, folder);
  const mali = await bettor(first.address, 'mali01', '100.00');
  const match = await mali.laterMatch();
  const { bet } = await mali.place(match, HOME, 4_000);
  const other = await mali.matchBefore(match);
  await mali.place(other, HOME, 1_000);
  await killed(first.child);

  // The match ended, and the ending was stored, but nothing was settled before the process died.
  inDatabase(folder, 'insert into sports_ending (match_id, home, away, at) values (?, 3, 0, ?)', match.id, Date.now());
  const second = await start(t, folder);
  const again = new Bettor(second.address, mali.token);
  await until(async () => (await again.board()).openBets === 1, 'the settlement without a request');
  const won = 10_000 - 5_000 + bet.possible;
  assert.equal((await again.board()).balance, won);
  const unchanged = await again.match(other.id);
  assert.deepEqual([unchanged.kickoff, unchanged.markets], [other.kickoff, other.markets]);
  await finish(second.address, other.id, 0, 2);
  await killed(second.child);

  const third = await start(t, folder);
  const after = new Bettor(third.address, mali.token);
  const { balance, outstanding, settled } = await after.bets();
  assert.deepEqual([balance, outstanding, settled.map(({ state }) => state)], [won, 0, ['lost', 'won']]);
  assert.equal((await finish(third.address, match.id, 3, 0)).status, 200);
  assert.equal((await finish(third.address, match.id, 0, 3)).body.error, 'match_over');
  assert.equal((await after.board()).balance, won);
});

test('a match that ended by the clock while the simulators were down is settled by its score', async (t) => {
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, 'outside.json'), JSON.stringify(outsideFor('http://127.0.0.1:1/')));
  const first = await start(t, folder);
  const mali = await bettor(first.address, 'mali01', '100.00');
  const { matches } = await mali.board();
  const over = matches.find(({ phase }) => phase === 'finished');
  assert.ok(over);
  const { bet } = await mali.place(await mali.laterMatch(), HOME, 4_000);
  await killed(first.child);

  // As if the bet were on a match that has ended since.
  inDatabase(folder, "update round set bets = json_set(bets, '$.matchId', ?)", over.id);
  const second = await start(t, folder);
  const again = new Bettor(second.address, mali.token);
  await until(async () => (await again.board()).openBets === 0, 'the settlement after the start');
  const { balance, settled } = await again.bets();
  assert.deepEqual(settled[0]?.match.score, over.score);
  assert.equal(balance, over.score.home > over.score.away ? 6_000 + bet.possible : 6_000);
});
