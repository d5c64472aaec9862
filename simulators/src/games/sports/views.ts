import type { Language } from '../sessions.ts';
import type { Bet } from './bets.ts';
import { payOf } from './judge.ts';
import { isOver, type Match } from './match.ts';
import { marketsOf } from './odds.ts';
import { minuteOf } from './schedule.ts';
import type { Team } from './teams.ts';

const FIRST_SEEN = 3;

const teamView = (team: Team, language: Language) => ({ id: team.id, name: team[language] });

/** A match for lists. Money and odds are integers: satang, and hundredths. */
export function matchView(match: Match, language: Language) {
  return {
    id: match.id,
    league: match.league[language],
    home: teamView(match.home, language),
    away: teamView(match.away, language),
    kickoff: match.kickoff,
    phase: match.phase,
    minute: match.minute,
    tick: match.tick,
    score: match.score,
    reds: match.reds,
    held: match.isHeld,
    ball: match.ball,
    last: match.happenings.slice(-FIRST_SEEN),
    endedAt: match.endedAt,
    markets: isOver(match) ? [] : marketsOf(match),
  };
}

/** A match with all its events so far. */
export function fullMatchView(match: Match, language: Language) {
  const countBySide = (kind: string) => ({
    home: match.happenings.filter((happening) => happening.kind === kind && happening.side === 'home').length,
    away: match.happenings.filter((happening) => happening.kind === kind && happening.side === 'away').length,
  });
  const [goals, chances] = [countBySide('goal'), countBySide('chance')];
  const ballTrail = match.script.ball.slice(0, match.tick + 1);
  const homeAttackTicks = ballTrail.filter(({ x }) => x >= 50).length;
  return {
    ...matchView(match, language),
    happenings: match.happenings.map((happening) => ({ ...happening, minute: minuteOf(happening.tick) })),
    figures: {
      shots: { home: goals.home + chances.home, away: goals.away + chances.away },
      corners: countBySide('corner'),
      yellows: countBySide('yellow'),
      reds: countBySide('red'),
      /** Percentage of time with the ball in the away half. */
      pressure: match.tick === 0 ? 50 : Math.round((homeAttackTicks * 100) / ballTrail.length),
    },
  };
}

export function betView(bet: Bet, match: Match, language: Language) {
  return {
    id: bet.id,
    at: bet.at,
    settledAt: bet.settledAt,
    match: {
      id: match.id,
      home: teamView(match.home, language),
      away: teamView(match.away, language),
      kickoff: match.kickoff,
      phase: match.phase,
      minute: match.minute,
      score: match.score,
    },
    market: bet.market,
    line: bet.line,
    pick: bet.pick,
    odds: bet.odds,
    stake: bet.stake,
    taken: { minute: bet.minute, home: bet.home, away: bet.away },
    possible: payOf('won', bet.stake, bet.odds),
    paid: bet.win,
    state: stateOf(bet),
  };
}

/** Odds are always above 1, so a bet that paid exactly its stake was void. */
function stateOf({ win, stake }: Bet): 'open' | 'won' | 'lost' | 'void' {
  if (win === null) return 'open';
  if (win === 0) return 'lost';
  return win === stake ? 'void' : 'won';
}
