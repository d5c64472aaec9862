import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { readInput } from '../../input.ts';
import type { Bets } from './bets.ts';
import type { Fixtures } from './fixtures.ts';
import type { Score } from './match.ts';

type Deps = { fixtures: Fixtures; bets: Bets };

const matchId = z.int().min(0);
const score = z.int().min(0).max(30);
const finishInput = z.strictObject({ matchId, home: score, away: score });
const callOffInput = z.strictObject({ matchId });

/** Ends matches early: with a score, or called off so that every stake is returned. Bets are settled immediately. */
export function sportsControl(app: FastifyInstance, deps: Deps): void {
  app.get('/control/games/sports/matches', () => {
    const shown = deps.fixtures.around(Date.now());
    return {
      matches: shown.map(({ id, kickoff, phase, score: now }) => ({ matchId: id, kickoff, phase, score: now })),
    };
  });
  app.post('/control/games/sports/finish', ({ body }) => {
    const { matchId: id, home, away } = readInput(finishInput, body);
    return end(id, { home, away }, deps);
  });
  app.post('/control/games/sports/call-off', ({ body }) => end(readInput(callOffInput, body).matchId, null, deps));
}

function end(matchId: number, ending: Score | null, { fixtures, bets }: Deps) {
  const now = Date.now();
  fixtures.end(matchId, ending, now);
  bets.settleDue(now);
  return { matchId, phase: fixtures.find(matchId, now).phase, score: ending };
}
