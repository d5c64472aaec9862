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

const FIRST_MATCH = 9_000_000;
const matchAtEveryTick = (id: number): Match[] =>
  Array.from({ length: MATCH_MS / TICK_MS + 2 }, (_, tick) =>
    matchAt('seed', id, id * BETWEEN_MS + (tick - 1) * TICK_MS, undefined),
  );

test('the same seed and clock give the same match; another seed gives others', () => {
  const outlineAt = (seed: string) =>
    Array.from({ length: 20 }, (_, n) => {
      const { home, away, score, happenings } = matchAt(
        seed,
        FIRST_MATCH + n,
        (FIRST_MATCH + n) * BETWEEN_MS + MATCH_MS,
        undefined,
      );
      return { home: home.id, away: away.id, score, happenings };
    });
  assert.deepEqual(outlineAt('seed'), outlineAt('seed'));
  assert.notDeepEqual(outlineAt('seed'), outlineAt('other'));
});

test('no team plays itself, or two matches simultaneously', () => {
  for (let id = FIRST_MATCH; id < FIRST_MATCH + 200; id += 1) {
    const teamsOf = (n: number) => {
      const { home, away } = matchAt('seed', n, 0, undefined);
      return [home.id, away.id];
    };
    assert.equal(new Set([...teamsOf(id), ...teamsOf(id + 1)]).size, 4);
  }
});

test('a match is consistent over time: events stay, goals are only added, and the score is their number', () => {
  for (const id of [FIRST_MATCH, FIRST_MATCH + 1, FIRST_MATCH + 2]) {
    let previousMatch: Match | undefined;
    for (const match of matchAtEveryTick(id)) {
      assert.deepEqual(
        match.happenings.slice(0, previousMatch?.happenings.length ?? 0),
        previousMatch?.happenings ?? [],
      );
      const goals = match.happenings.filter(({ kind }) => kind === 'goal').length;
      assert.equal(match.score.home + match.score.away, goals);
      assert.ok(match.ball.x >= 0 && match.ball.x <= 100 && match.ball.y >= 0 && match.ball.y <= 100);
      previousMatch = match;
    }
    assert.equal(previousMatch?.phase, 'finished');
  }
});

test('bets close around a goal, odds change with it, and every market has a margin for the house', () => {
  let goals = 0;
  for (let id = FIRST_MATCH; id < FIRST_MATCH + 12; id += 1) {
    const matchCourse = matchAtEveryTick(id);
    for (const [index, match] of matchCourse.entries()) {
      const previousMatch = matchCourse[index - 1];
      const isGoal =
        previousMatch && match.score.home + match.score.away > previousMatch.score.home + previousMatch.score.away;
      if (isGoal) {
        goals += 1;
        assert.ok(previousMatch.isHeld && match.isHeld, `held around the goal in match ${id}`);
        assert.notDeepEqual(marketsOf(match), marketsOf(previousMatch));
      }
      for (const { market, prices } of marketsOf(match)) {
        const overround = prices.reduce((partialSum, { odds }) => partialSum + 100 / odds, 0);
        if (market !== 'result' || prices.length === 3) assert.ok(overround > 1.02, `${market} of match ${id}`);
      }
    }
    assert.deepEqual(marketsOf(matchCourse.at(-1) as Match), []);
  }
  assert.ok(goals > 5);
});

test('the match clock counts 1 to 45, stoppage, 46 to 90, stoppage', () => {
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

test('whole and half lines have their results, and payouts have no fractions of a satang', () => {
  const verdictFor = (
    market: 'handicap' | 'total',
    line: number,
    pick: 'home' | 'away' | 'over' | 'under',
    score: string,
  ) => judge({ market, line, pick }, { home: Number(score[0]), away: Number(score[2]) });
  assert.deepEqual(
    [
      verdictFor('handicap', -2, 'home', '1-0'),
      verdictFor('handicap', -2, 'home', '2-0'),
      verdictFor('handicap', -2, 'away', '1-1'),
      verdictFor('handicap', 1, 'home', '0-0'),
      verdictFor('handicap', 0, 'away', '2-2'),
      verdictFor('total', 5, 'over', '2-1'),
      verdictFor('total', 6, 'under', '2-1'),
      verdictFor('total', 6, 'under', '1-1'),
    ],
    ['void', 'won', 'won', 'won', 'void', 'won', 'void', 'won'],
  );
  assert.equal(judge({ market: 'result', line: null, pick: 'draw' }, null), 'void');
  assert.deepEqual(
    [payOf('won', 1_001, 195), payOf('won', 1_999_999, 5_999), payOf('lost', 1_001, 195)],
    [1_951, 119_979_940, 0],
  );
});

/** A sports book on a mocked clock, and a player with 1,000.00. */
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
  const { fixtures, bets, bettor } = bookAt(t, FIRST_MATCH * BETWEEN_MS - 60_000);
  bets.resume();
  const prices =
    marketsOf(fixtures.find(FIRST_MATCH, Date.now())).find(({ market }) => market === 'result')?.prices ?? [];
  for (const { pick, odds } of prices) {
    const selection = { market: 'result', line: null, pick } as const;
    bets.place(bettor, { ...selection, key: `key-${pick}-1`, matchId: FIRST_MATCH, odds, stake: 1_000 });
  }
  t.mock.timers.tick(60_000 + MATCH_MS - 1);
  assert.equal(bettor.gameServer.players.find('mali01')?.outstanding, 3_000);
  for (let minute = 0; minute < 3; minute += 1) t.mock.timers.tick(60_000);
  const { score } = fixtures.find(FIRST_MATCH, Date.now());
  const winningPick = prices.find(({ pick }) => judge({ market: 'result', line: null, pick }, score) === 'won');
  const player = bettor.gameServer.players.find('mali01');
  assert.deepEqual([player?.outstanding, player?.balance], [0, 97_000 + payOf('won', 1_000, winningPick?.odds ?? 0)]);
});

test('live bets are closed around a goal and at the very end, and have new odds after a goal', (t) => {
  const { fixtures, bets, bettor } = bookAt(t, FIRST_MATCH * BETWEEN_MS);
  const timeOf = (id: number, tick: number) =>
    id * BETWEEN_MS + (tick + (tick >= FIRST_HALF ? BREAK_TICKS : 0)) * TICK_MS;
  const drawOddsAt = (id: number, tick: number) => {
    t.mock.timers.setTime(timeOf(id, tick));
    const result = marketsOf(fixtures.find(id, Date.now())).find(({ market }) => market === 'result');
    return result?.prices.find(({ pick }) => pick === 'draw')?.odds ?? 0;
  };
  // Searches for a first goal without events around it, which moves the odds; the seed is random.
  const goalCourse = Array.from({ length: 200 }, (_, n) => {
    t.mock.timers.setTime(timeOf(FIRST_MATCH + n, 0));
    const { script } = fixtures.find(FIRST_MATCH + n, Date.now());
    const goals = script.happenings.filter(({ kind }) => kind === 'goal' || kind === 'red' || kind === 'chance');
    const [firstGoal, nextEvent] = goals;
    const isQuiet =
      firstGoal?.kind === 'goal' &&
      firstGoal.tick > 10 &&
      firstGoal.tick < 80 &&
      (nextEvent?.tick ?? 200) > firstGoal.tick + 9 &&
      (goals.at(-1)?.tick ?? 0) < PLAYED_TICKS - 8;
    if (!isQuiet) return undefined;
    const hasMoved =
      drawOddsAt(FIRST_MATCH + n, firstGoal.tick - 3) !== drawOddsAt(FIRST_MATCH + n, firstGoal.tick + 5);
    return hasMoved ? { id: FIRST_MATCH + n, tick: firstGoal.tick } : undefined;
  }).find((candidate) => candidate !== undefined);
  assert.ok(goalCourse, 'a match with an isolated goal');
  const { id, tick } = goalCourse;
  let keys = 0;
  const placeBet = (odds: number) => {
    keys += 1;
    const selection = { market: 'result', line: null, pick: 'draw' } as const;
    return bets.place(bettor, { ...selection, key: `live-key-${keys}`, matchId: id, odds, stake: 1_000 });
  };
  const oddsBefore = drawOddsAt(id, tick - 3);
  assert.equal(placeBet(oddsBefore).minute, minuteOf(tick - 3));
  for (const heldTick of [tick - 2, tick, tick + 3]) {
    const odds = drawOddsAt(id, heldTick);
    assert.throws(() => placeBet(odds), { code: 'betting_held' });
  }
  const oddsAfter = drawOddsAt(id, tick + 5);
  assert.throws(() => placeBet(oddsBefore), { code: 'odds_moved', odds: oddsAfter });
  assert.equal(placeBet(oddsAfter).odds, oddsAfter);
  drawOddsAt(id, PLAYED_TICKS - 2);
  assert.throws(() => placeBet(oddsAfter), { code: 'not_offered' });
  assert.equal(bettor.gameServer.players.find('mali01')?.outstanding, 2_000);
});
