import type { Language } from '../sessions.ts';
import type { Bet } from './bets.ts';
import { payOf } from './judge.ts';
import { isOver, type Match } from './match.ts';
import { marketsOf } from './odds.ts';
import { minuteOf } from './schedule.ts';
import type { Team } from './teams.ts';

const FIRST_SEEN = 3;

const teamShown = (team: Team, language: Language) => ({ id: team.id, name: team[language] });

/** A match as lists show it. Money and odds are integers: satang, and hundredths. */
export function matchShown(match: Match, language: Language) {
  return {
    id: match.id,
    league: match.league[language],
    home: teamShown(match.home, language),
    away: teamShown(match.away, language),
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
export function wholeMatchShown(match: Match, language: Language) {
  const of = (kind: string) => ({
    home: match.happenings.filter((one) => one.kind === kind && one.side === 'home').length,
    away: match.happenings.filter((one) => one.kind === kind && one.side === 'away').length,
  });
  const [goals, chances] = [of('goal'), of('chance')];
  const trail = match.script.ball.slice(0, match.tick + 1);
  const forward = trail.filter(({ x }) => x >= 50).length;
  return {
    ...matchShown(match, language),
    happenings: match.happenings.map((one) => ({ ...one, minute: minuteOf(one.tick) })),
    figures: {
      shots: { home: goals.home + chances.home, away: goals.away + chances.away },
      corners: of('corner'),
      yellows: of('yellow'),
      reds: of('red'),
      /** Percentage of time with the ball in the away half. */
      pressure: match.tick === 0 ? 50 : Math.round((forward * 100) / trail.length),
    },
  };
}

export function betShown(bet: Bet, match: Match, language: Language) {
  return {
    id: bet.id,
    at: bet.at,
    settledAt: bet.settledAt,
    match: {
      id: match.id,
      home: teamShown(match.home, language),
      away: teamShown(match.away, language),
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

/** Odds are always above 1, so a bet that pays exactly its stake was void. */
function stateOf({ win, stake }: Bet): 'open' | 'won' | 'lost' | 'void' {
  if (win === null) return 'open';
  if (win === 0) return 'lost';
  return win === stake ? 'void' : 'won';
}
