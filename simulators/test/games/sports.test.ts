import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ask, outside } from '../harness.ts';
import { Bettor, bettor, callOff, finish, type Market, type PlacedBet, sessionOf } from './bettors.ts';
import { amb } from './players.ts';

const HOME_WIN = { market: 'result', line: null, pick: 'home' };
const MATCH_DRAW = { market: 'result', line: null, pick: 'draw' };
const AWAY_WIN = { market: 'result', line: null, pick: 'away' };

/** A whole line can be a push; a half line can't. */
function lineOf(markets: Market[], kind: string, isWhole: boolean): number {
  const foundMarket = markets.find(
    ({ market, line }) => market === kind && line !== null && (line % 2 === 0) === isWhole,
  );
  assert.ok(
    foundMarket?.line !== null && foundMarket?.line !== undefined,
    `a ${isWhole ? 'whole' : 'half'} line of ${kind}`,
  );
  return foundMarket.line;
}

test('a bet takes its stake immediately and is outstanding until the match ends, also at the provider', async (t) => {
  const { address } = await outside(t);
  const mali = await bettor(address, 'mali01', '100.00');
  const match = await mali.laterMatch();
  const placedBet = await mali.place(match, HOME_WIN, 4_000);
  assert.deepEqual([placedBet.balance, placedBet.outstanding, placedBet.openBets], [6_000, 4_000, 1]);
  assert.equal(placedBet.bet.state, 'open');
  const { result } = (await amb(address, 'GET', 'credit/amb-key/mali01')).body;
  assert.deepEqual([result?.credit, result?.outstanding], ['60.00', '40.00']);
  const { open, settled } = await mali.bets();
  assert.deepEqual([open.map(({ id }) => id), settled], [[placedBet.bet.id], []]);
});

test('a winning result pays stake times odds, rounded down to the satang; the other two lose', async (t) => {
  const { address } = await outside(t);
  const mali = await bettor(address, 'mali01', '1000.00');
  const match = await mali.laterMatch();
  const placedBet = await mali.place(match, HOME_WIN, 1_033);
  await mali.place(match, MATCH_DRAW, 2_000);
  await mali.place(match, AWAY_WIN, 3_000);
  assert.equal((await finish(address, match.id, 2, 1)).status, 200);
  const payout = Number((BigInt(1_033) * BigInt(placedBet.bet.odds)) / 100n);
  const { balance, outstanding, open, settled } = await mali.bets();
  assert.deepEqual(
    settled.map(({ state, paid }) => [state, paid]),
    [
      ['lost', 0],
      ['lost', 0],
      ['won', payout],
    ],
  );
  assert.deepEqual([balance, outstanding, open.length], [100_000 - 6_033 + payout, 0, 0]);
  assert.equal(placedBet.bet.possible, payout);
  assert.deepEqual(settled[0]?.match.score, { home: 2, away: 1 });
});

test('a bet whose whole line is hit exactly returns the stake to both sides', async (t) => {
  const { address } = await outside(t);
  const mali = await bettor(address, 'mali01', '1000.00');
  const firstMatch = await mali.laterMatch();
  const secondMatch = await mali.matchBefore(firstMatch);
  const total = lineOf(firstMatch.markets, 'total', true);
  const handicapLine = lineOf(secondMatch.markets, 'handicap', true);
  for (const pick of ['over', 'under']) await mali.place(firstMatch, { market: 'total', line: total, pick }, 1_111);
  for (const pick of ['home', 'away'])
    await mali.place(secondMatch, { market: 'handicap', line: handicapLine, pick }, 2_222);
  await finish(address, firstMatch.id, 0, total / 2);
  await finish(address, secondMatch.id, Math.max(0, -handicapLine / 2), Math.max(0, handicapLine / 2));
  const { balance, settled } = await mali.bets();
  assert.deepEqual(
    settled.map(({ state, paid }) => [state, paid]),
    [2_222, 2_222, 1_111, 1_111].map((stake) => ['void', stake]),
  );
  assert.equal(balance, 100_000);
});

test('half lines always have a winner: over and under, handicap for and against', async (t) => {
  const { address } = await outside(t);
  const mali = await bettor(address, 'mali01', '1000.00');
  const match = await mali.laterMatch();
  const total = lineOf(match.markets, 'total', false);
  const handicapLine = lineOf(match.markets, 'handicap', false);
  const overBet = await mali.place(match, { market: 'total', line: total, pick: 'over' }, 1_000);
  const underBet = await mali.place(match, { market: 'total', line: total, pick: 'under' }, 1_000);
  const homeBet = await mali.place(match, { market: 'handicap', line: handicapLine, pick: 'home' }, 1_000);
  const awayBet = await mali.place(match, { market: 'handicap', line: handicapLine, pick: 'away' }, 1_000);
  await finish(address, match.id, 12, 0);
  const { settled, balance } = await mali.bets();
  const stateOf = ({ bet }: PlacedBet) => settled.find(({ id }) => id === bet.id)?.state;
  assert.deepEqual([overBet, underBet, homeBet, awayBet].map(stateOf), ['won', 'lost', 'won', 'lost']);
  assert.equal(balance, 96_000 + overBet.bet.possible + homeBet.bet.possible);
});

test('an abandoned match returns every stake, and cannot end differently afterwards', async (t) => {
  const { address } = await outside(t);
  const mali = await bettor(address, 'mali01', '100.00');
  const match = await mali.laterMatch();
  await mali.place(match, HOME_WIN, 1_500);
  assert.equal((await callOff(address, match.id)).body.phase, 'called-off');
  assert.equal((await callOff(address, match.id)).status, 200);
  const repeatedFinish = await finish(address, match.id, 1, 0);
  assert.deepEqual([repeatedFinish.status, repeatedFinish.body.error], [409, 'match_over']);
  const { balance, settled } = await mali.bets();
  assert.deepEqual([balance, settled[0]?.state, settled[0]?.paid], [10_000, 'void', 1_500]);
  const { body } = await ask<{ turnover: string }>(address, 'GET', '/games/askmebet/players/mali01');
  assert.equal(body.turnover, '0.00', 'and no turnover');
});

test('outdated odds are refused with the current ones, and nothing is staked', async (t) => {
  const { address } = await outside(t);
  const mali = await bettor(address, 'mali01', '100.00');
  const match = await mali.laterMatch();
  const request = mali.betRequest(match, HOME_WIN, 1_000);
  for (const oddsChange of [1, -1, 5_000]) {
    const movedReply = await mali.post<PlacedBet>({ ...request, odds: request.odds + oddsChange });
    assert.deepEqual(
      [movedReply.status, movedReply.body.error, movedReply.body.odds],
      [409, 'odds_moved', request.odds],
    );
  }
  const goneReply = await mali.post<PlacedBet>({ ...request, market: 'total', line: 79, pick: 'over' });
  assert.deepEqual([goneReply.status, goneReply.body.error], [409, 'not_offered']);
  const mixedReply = await mali.post<PlacedBet>({ ...request, pick: 'over' });
  assert.deepEqual([mixedReply.status, mixedReply.body.error], [409, 'not_offered']);
  assert.equal((await mali.board()).balance, 10_000);
  assert.equal((await mali.post<PlacedBet>(request)).status, 200);
});

test('the same key is one bet, also ten times concurrently and after settlement, and another bet under it is refused', async (t) => {
  const { address } = await outside(t);
  const mali = await bettor(address, 'mali01', '100.00');
  const match = await mali.laterMatch();
  const request = mali.betRequest(match, HOME_WIN, 1_000);
  const replies = await Promise.all(Array.from({ length: 10 }, () => mali.post<PlacedBet>(request)));
  assert.equal(new Set(replies.map(({ body }) => body.bet.id)).size, 1);
  assert.equal((await mali.board()).balance, 9_000);
  const otherReply = await mali.post<PlacedBet>({ ...request, stake: 2_000 });
  assert.deepEqual([otherReply.status, otherReply.body.error], [409, 'key_used']);
  await finish(address, match.id, 0, 1);
  const lateReply = await mali.post<PlacedBet>(request);
  assert.deepEqual([lateReply.status, lateReply.body.bet.state], [200, 'lost']);
  const { balance, outstanding } = await mali.board();
  assert.deepEqual([balance, outstanding], [9_000, 0]);
});

test('negative, huge, fractional and malformed stakes are refused in one format, and take nothing', async (t) => {
  const { address } = await outside(t);
  const mali = await bettor(address, 'mali01', '100.00');
  const request = mali.betRequest(await mali.laterMatch(), HOME_WIN, 1_000);
  const invalidRequests: [object, string][] = [
    ...[-1_000, 0, 1_000.5, '1000', null, 1e300, Number.MAX_SAFE_INTEGER + 1].map(
      (stake) => [{ ...request, stake }, 'bad_input'] as [object, string],
    ),
    [{ ...request, stake: 999 }, 'stake_limit'],
    [{ ...request, stake: 2_000_001 }, 'stake_limit'],
    [{ ...request, odds: 100 }, 'bad_input'],
    [{ ...request, line: 0.5 }, 'bad_input'],
    [{ ...request, market: 'corners' }, 'bad_input'],
    [{ ...request, key: 'a b' }, 'bad_input'],
    [{ ...request, matchId: -1 }, 'bad_input'],
    [{ ...request, more: true }, 'bad_input'],
    [[], 'bad_input'],
  ];
  for (const [body, error] of invalidRequests) {
    const reply = await mali.post<{ error: string; message: string }>(body);
    assert.deepEqual([reply.status, reply.body.error], [400, error], JSON.stringify(body));
    assert.equal(typeof reply.body.message, 'string');
  }
  const farReply = await mali.post<PlacedBet>({ ...request, matchId: request.matchId + 100 });
  assert.deepEqual([farReply.status, farReply.body.error], [404, 'unknown_match']);
  const tooExpensiveReply = await mali.post<PlacedBet>({ ...request, stake: 10_001 });
  assert.deepEqual([tooExpensiveReply.status, tooExpensiveReply.body.error], [409, 'not_enough_money']);
  const { balance, openBets } = await mali.board();
  assert.deepEqual([balance, openBets], [10_000, 0]);
});

test('a bet on a finished match is refused', async (t) => {
  const { address } = await outside(t);
  const mali = await bettor(address, 'mali01', '100.00');
  const { matches } = await mali.board();
  const request = mali.betRequest(await mali.laterMatch(), HOME_WIN, 1_000);
  const endedMatch = matches.filter(({ phase }) => phase === 'finished').at(0);
  const lateReply = await mali.post<PlacedBet>({ ...request, matchId: endedMatch?.id });
  assert.deepEqual([lateReply.status, lateReply.body.error], [409, 'match_over']);
  await finish(address, request.matchId, 0, 0);
  const replyAfterEnd = await mali.post<PlacedBet>(request);
  assert.deepEqual([replyAfterEnd.status, replyAfterEnd.body.error], [409, 'match_over']);
  assert.deepEqual((await mali.match(request.matchId)).markets, []);
});

test('players see and spend only their own money, and bets need a session of this game', async (t) => {
  const { address } = await outside(t);
  const mali = await bettor(address, 'mali01', '100.00');
  const somchai = await bettor(address, 'somchai1', '50.00');
  const match = await mali.laterMatch();
  const request = mali.betRequest(match, HOME_WIN, 1_000);
  await mali.post(request);
  assert.deepEqual((await somchai.bets()).open, []);
  // The same key of another player belongs to another bet.
  assert.equal((await somchai.post<PlacedBet>({ ...request, stake: 2_000 })).body.balance, 3_000);
  assert.equal((await mali.board()).balance, 9_000);
  for (const token of ['', 'x', 'a'.repeat(32)]) {
    const stranger = new Bettor(address, token);
    for (const reply of [await stranger.post<PlacedBet>(request), await stranger.get<PlacedBet>('bets')])
      assert.deepEqual([reply.status, reply.body.error], [401, 'session_over']);
  }
  const otherProviderReply = await ask<{ error: string }>(address, 'GET', '/games/imi/sports/board', undefined, {
    authorization: `Bearer ${mali.token}`,
  });
  assert.equal(otherProviderReply.body.error, 'session_over');
  const slotSessionBettor = new Bettor(address, await sessionOf(address, 'mali01', 'cards'));
  assert.equal((await slotSessionBettor.post<PlacedBet>(request)).body.error, 'other_game');
});

test('at any time one or two matches are live, some upcoming and some finished', async (t) => {
  const { address } = await outside(t);
  const { matches } = await (await bettor(address, 'mali01', '0.00')).board();
  const countInPhases = (...phases: string[]) => matches.filter(({ phase }) => phases.includes(phase)).length;
  assert.ok([1, 2].includes(countInPhases('first', 'break', 'second')));
  assert.equal(countInPhases('coming'), 8);
  assert.ok(countInPhases('finished') >= 8);
  const kickoffs = matches.map(({ kickoff }) => kickoff);
  assert.deepEqual(
    kickoffs,
    kickoffs.toSorted((first, second) => first - second),
  );
});

test('a player may have at most a hundred open bets', async (t) => {
  const { address } = await outside(t);
  const mali = await bettor(address, 'mali01', '5000.00');
  const match = await mali.laterMatch();
  for (let betCount = 0; betCount < 100; betCount += 1) await mali.place(match, HOME_WIN, 1_000);
  const refusedBet = await mali.post<PlacedBet>(mali.betRequest(match, HOME_WIN, 1_000));
  assert.deepEqual([refusedBet.status, refusedBet.body.error], [409, 'too_many_bets']);
  assert.equal((await mali.board()).outstanding, 100_000);
  await finish(address, match.id, 0, 0);
  const { openBets, outstanding, balance } = await mali.board();
  assert.deepEqual([openBets, outstanding, balance], [0, 0, 400_000]);
});

test('the launch link opens the sports page, whose files exist and fit its content security policy', async (t) => {
  const { address } = await outside(t);
  const { token } = await bettor(address, 'mali01', '0.00');
  const page = await fetch(`${address}/games/askmebet/play/?game=sports&l=th&ops=${token}`);
  assert.equal(page.status, 200);
  assert.match(page.headers.get('content-security-policy') ?? '', /script-src 'self'; style-src 'self'/);
  const loadedFiles = new Set([...(await page.text()).matchAll(/\/assets\/[\w./-]+/g)].map(([path]) => path));
  assert.ok([...loadedFiles].some((path) => path.startsWith('/assets/sports/')));
  for (const path of loadedFiles) {
    const file = await fetch(address + path);
    assert.equal(file.status, 200, path);
    const text = await file.text();
    for (const [, name] of text.matchAll(/from '\.\/([\w-]+\.js)'/g)) loadedFiles.add(`/assets/sports/${String(name)}`);
    assert.doesNotMatch(text, / style="| onclick="/);
  }
  assert.ok(loadedFiles.size > 15);
});
