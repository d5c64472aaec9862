import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { readInput } from '../../input.ts';
import type { Bets } from './bets.ts';
import type { Fixtures } from './fixtures.ts';
import type { Score } from './match.ts';

type SportsDeps = { fixtures: Fixtures; bets: Bets };

const matchId = z.int().min(0);
const goalCount = z.int().min(0).max(30);
const finishInput = z.strictObject({ matchId, home: goalCount, away: goalCount });
const callOffInput = z.strictObject({ matchId });

/** Ends matches early: with a score, or called off, which returns every stake. Bets are settled immediately. */
export function sportsControl(app: FastifyInstance, deps: SportsDeps): void {
  app.get('/control/games/sports/matches', () => {
    const currentMatches = deps.fixtures.around(Date.now());
    return {
      matches: currentMatches.map(({ id, kickoff, phase, score: now }) => ({
        matchId: id,
        kickoff,
        phase,
        score: now,
      })),
    };
  });
  app.post('/control/games/sports/finish', ({ body }) => {
    const { matchId: id, home, away } = readInput(finishInput, body);
    return endMatch(id, { home, away }, deps);
  });
  app.post('/control/games/sports/call-off', ({ body }) => endMatch(readInput(callOffInput, body).matchId, null, deps));
}

function endMatch(matchId: number, ending: Score | null, { fixtures, bets }: SportsDeps) {
  const now = Date.now();
  fixtures.end(matchId, ending, now);
  bets.settleDue(now);
  return { matchId, phase: fixtures.find(matchId, now).phase, score: ending };
}
