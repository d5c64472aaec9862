import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { CallLog } from '../../src/control/call-log.ts';
import { Faults } from '../../src/control/faults.ts';
import { Server } from '../../src/control/serve.ts';
import { gameServerNamed, openGameServers } from '../../src/games/game-servers.ts';
import { Bets, type Bettor } from '../../src/games/sports/bets.ts';
import { Fixtures } from '../../src/games/sports/fixtures.ts';
import { judge, payOf } from '../../src/games/sports/judge.ts';
import { type Match, matchAt } from '../../src/games/sports/match.ts';
import { marketsOf } from '../../src/games/sports/odds.ts';
import {
  BETWEEN_MS,
  BREAK_TICKS,
  FIRST_HALF,
  MATCH_MS,
  minuteOf,
  PLAYED_TICKS,
  TICK_MS,
} from '../../src/games/sports/schedule.ts';
import { initialSettings } from '../../src/settings.ts';
import { Store } from '../../src/store.ts';
import { outsideFor } from '../harness.ts';

const FIRST = 9_000_000;
const every = (id: number): Match[] =>
  Array.from({ length: MATCH_MS / TICK_MS + 2 }, (_, tick) =>
    matchAt('seed', id, id * BETWEEN_MS + (tick - 1) * TICK_MS, undefined),
  );

test('the same seed and clock give the same match; another seed gives others', () => {
  const at = (seed: string) =>
    Array.from({ length: 20 }, (_, n) => {
      const { home, away, score, happenings } = matchAt(
        seed,
        FIRST + n,
        (FIRST + n) * BETWEEN_MS + MATCH_MS,
        undefined,
      );
      return { home: home.id, away: away.id, score, happenings };
    });
  assert.deepEqual(at('seed'), at('seed'));
  assert.notDeepEqual(at('seed'), at('other'));
});

test('no team plays itself or two matches at once', () => {
  for (let id = FIRST; id < FIRST + 200; id += 1) {
    const pair = (n: number) => {
      const { home, away } = matchAt('seed', n, 0, undefined);
      return [home.id, away.id];
    };
    assert.equal(new Set([...pair(id), ...pair(id + 1)]).size, 4);
  }
});

test('a match is consistent over time: events stay, goals are only added, and the score is their number', () => {
  for (const id of [FIRST, FIRST + 1, FIRST + 2]) {
    let before: Match | undefined;
    for (const match of every(id)) {
      assert.deepEqual(match.happenings.slice(0, before?.happenings.length ?? 0), before?.happenings ?? []);
      const goals = match.happenings.filter(({ kind }) => kind === 'goal').length;
      assert.equal(match.score.home + match.score.away, goals);
      assert.ok(match.ball.x >= 0 && match.ball.x <= 100 && match.ball.y >= 0 && match.ball.y <= 100);
      before = match;
    }
    assert.equal(before?.phase, 'finished');
  }
});

test('no bets just before and after a goal; odds move with it; every market always has a margin for the house', () => {
  let goals = 0;
  for (let id = FIRST; id < FIRST + 12; id += 1) {
    const course = every(id);
    for (const [index, match] of course.entries()) {
      const before = course[index - 1];
      const scored = before && match.score.home + match.score.away > before.score.home + before.score.away;
      if (scored) {
        goals += 1;
        assert.ok(before.isHeld && match.isHeld, `held around the goal in match ${id}`);
        assert.notDeepEqual(marketsOf(match), marketsOf(before));
      }
      for (const { market, prices } of marketsOf(match)) {
        const overround = prices.reduce((sum, { odds }) => sum + 100 / odds, 0);
        if (market !== 'result' || prices.length === 3) assert.ok(overround > 1.02, `${market} of match ${id}`);
      }
    }
    assert.deepEqual(marketsOf(course.at(-1) as Match), []);
  }
  assert.ok(goals > 5);
});

test('the scoreboard counts 1 to 45, stoppage, 46 to 90, stoppage', () => {
  assert.deepEqual([0, 1, 2, 89, 90, 93, 94, 183, 184, 189].map(minuteOf), [
    '1',
    '1',
    '2',
    '45',
    '45+1',
    '45+2',
    '46',
    '90',
    '90+1',
    '90+3',
  ]);
});

test('results of whole and half lines, and payouts without fractions of a satang', () => {
  const verdict = (
    market: 'handicap' | 'total',
    line: number,
    pick: 'home' | 'away' | 'over' | 'under',
    score: string,
  ) => judge({ market, line, pick }, { home: Number(score[0]), away: Number(score[2]) });
  assert.deepEqual(
    [
      verdict('handicap', -2, 'home', '1-0'),
      verdict('handicap', -2, 'home', '2-0'),
      verdict('handicap', -2, 'away', '1-1'),
      verdict('handicap', 1, 'home', '0-0'),
      verdict('handicap', 0, 'away', '2-2'),
      verdict('total', 5, 'over', '2-1'),
      verdict('total', 6, 'under', '2-1'),
      verdict('total', 6, 'under', '1-1'),
    ],
    ['void', 'won', 'won', 'won', 'void', 'won', 'void', 'won'],
  );
  assert.equal(judge({ market: 'result', line: null, pick: 'draw' }, null), 'void');
  assert.deepEqual(
    [payOf('won', 1_001, 195), payOf('won', 1_999_999, 5_999), payOf('lost', 1_001, 195)],
    [1_951, 119_979_940, 0],
  );
});

/** A book with its own clock, and a player with 1,000.00. */
function bookAt(t: TestContext, now: number): { fixtures: Fixtures; bets: Bets; bettor: Bettor } {
  t.mock.timers.enable({ apis: ['Date', 'setTimeout', 'setImmediate'], now });
  const store = new Store(':memory:');
  const outside = outsideFor('http://127.0.0.1:1/');
  const gameServers = openGameServers(new Map(), {
    store,
    outside,
    server: new Server(new Faults(store, [], new Map()), new CallLog(store)),
    settings: initialSettings([], outside),
  });
  const fixtures = new Fixtures(store);
  const bets = new Bets(gameServers, fixtures);
  t.after(() => {
    bets.stop();
    store.close();
  });
  const gameServer = gameServerNamed(gameServers, 'imi');
  gameServer.players.create('mali01', null);
  gameServer.players.transfer({ username: 'mali01', direction: 'in', amount: 100_000, reference: null });
  return { fixtures, bets, bettor: { gameServer, username: 'mali01', game: 'sports' } };
}

test('a match that ends by the clock is settled by its final score without any request', (t) => {
  const { fixtures, bets, bettor } = bookAt(t, FIRST * BETWEEN_MS - 60_000);
  bets.resume();
  const prices = marketsOf(fixtures.find(FIRST, Date.now())).find(({ market }) => market === 'result')?.prices ?? [];
  for (const { pick, odds } of prices) {
    const selection = { market: 'result', line: null, pick } as const;
    bets.place(bettor, { ...selection, key: `key-${pick}-1`, matchId: FIRST, odds, stake: 1_000 });
  }
  t.mock.timers.tick(60_000 + MATCH_MS - 1);
  assert.equal(bettor.gameServer.players.find('mali01')?.outstanding, 3_000);
  for (let minute = 0; minute < 3; minute += 1) t.mock.timers.tick(60_000);
  const { score } = fixtures.find(FIRST, Date.now());
  const won = prices.find(({ pick }) => judge({ market: 'result', line: null, pick }, score) === 'won');
  const player = bettor.gameServer.players.find('mali01');
  assert.deepEqual([player?.outstanding, player?.balance], [0, 97_000 + payOf('won', 1_000, won?.odds ?? 0)]);
});

test('while a match is live: no bet around a goal, then only at the odds after it, and none at the very end', (t) => {
  const { fixtures, bets, bettor } = bookAt(t, FIRST * BETWEEN_MS);
  const timeOf = (id: number, tick: number) =>
    id * BETWEEN_MS + (tick + (tick >= FIRST_HALF ? BREAK_TICKS : 0)) * TICK_MS;
  const oddsAt = (id: number, at: number) => {
    t.mock.timers.setTime(timeOf(id, at));
    const result = marketsOf(fixtures.find(id, Date.now())).find(({ market }) => market === 'result');
    return result?.prices.find(({ pick }) => pick === 'draw')?.odds ?? 0;
  };
  // A first goal with some quiet before and after it, which moves the odds; the seed is the store's own, so that it has
  // to be searched for.
  const course = Array.from({ length: 200 }, (_, n) => {
    t.mock.timers.setTime(timeOf(FIRST + n, 0));
    const { script } = fixtures.find(FIRST + n, Date.now());
    const goals = script.happenings.filter(({ kind }) => kind === 'goal' || kind === 'red' || kind === 'chance');
    const [goal, next] = goals;
    const isQuiet =
      goal?.kind === 'goal' &&
      goal.tick > 10 &&
      goal.tick < 80 &&
      (next?.tick ?? 200) > goal.tick + 9 &&
      (goals.at(-1)?.tick ?? 0) < PLAYED_TICKS - 8;
    if (!isQuiet) return undefined;
    const hasMoved = oddsAt(FIRST + n, goal.tick - 3) !== oddsAt(FIRST + n, goal.tick + 5);
    return hasMoved ? { id: FIRST + n, tick: goal.tick } : undefined;
  }).find((found) => found !== undefined);
  assert.ok(course, 'a match with an isolated goal');
  const { id, tick } = course;
  let keys = 0;
  const place = (odds: number) => {
    keys += 1;
    const selection = { market: 'result', line: null, pick: 'draw' } as const;
    return bets.place(bettor, { ...selection, key: `live-key-${keys}`, matchId: id, odds, stake: 1_000 });
  };
  const before = oddsAt(id, tick - 3);
  assert.equal(place(before).minute, minuteOf(tick - 3));
  for (const held of [tick - 2, tick, tick + 3]) {
    const odds = oddsAt(id, held);
    assert.throws(() => place(odds), { code: 'betting_held' });
  }
  const after = oddsAt(id, tick + 5);
  assert.throws(() => place(before), { code: 'odds_moved', odds: after });
  assert.equal(place(after).odds, after);
  oddsAt(id, PLAYED_TICKS - 2);
  assert.throws(() => place(after), { code: 'not_offered' });
  assert.equal(bettor.gameServer.players.find('mali01')?.outstanding, 2_000);
});
