import { DueTimer } from '../../push/due-timer.ts';
import { Refusal } from '../../refusal.ts';
import { gameNamed } from '../catalogue.ts';
import type { GameServer } from '../game-server.ts';
import type { GameServers } from '../game-servers.ts';
import type { Provider } from '../providers.ts';
import type { Round } from '../rounds.ts';
import type { Fixtures } from './fixtures.ts';
import { judge, payOf, type Selection } from './judge.ts';
import { isOver, type Match } from './match.ts';
import { marketsOf, oddsOf } from './odds.ts';
import { endOf } from './schedule.ts';

/** Limits of stakes, in satang of credit. */
export const STAKES = { least: 1_000, most: 2_000_000, presets: [5_000, 10_000, 50_000, 100_000] } as const;
const OPEN_AT_MOST = 100;
const SETTLED_SHOWN = 60;

export type BetRequest = Selection & { key: string; matchId: number; odds: number; stake: number };

/** The bet that a round stores: selection, odds, and the minute and score at the time of the bet. */
type BetSlip = Selection & { matchId: number; odds: number; minute: string; home: number; away: number };
/** A bet is an open or settled round. `win` is null while it is open, and the stake for a void bet. */
export type Bet = BetSlip & Pick<Round, 'id' | 'stake' | 'win' | 'at' | 'settledAt'>;

/** The player and the game of a bet. */
export type Bettor = { gameServer: GameServer; username: string; game: string };

/** The odds of a bet have changed since the player saw them. */
export class OddsMoved extends Refusal {
  readonly odds: number;

  constructor(odds: number) {
    super(409, 'odds_moved', 'The odds have moved');
    this.odds = odds;
  }
}

/** Takes bets and settles them when matches end. */
export class Bets {
  readonly #gameServers: GameServers;
  readonly #fixtures: Fixtures;
  readonly #timer = new DueTimer(() => this.settleDue(Date.now()));

  constructor(gameServers: GameServers, fixtures: Fixtures) {
    this.#gameServers = gameServers;
    this.#fixtures = fixtures;
  }

  resume(): void {
    this.#timer.schedule();
  }

  stop(): void {
    this.#timer.stop();
  }

  /**
   * Places a bet at the odds that the player saw. The same key returns the same bet.
   * @throws Refusal `stake_limit`, `unknown_match`, `match_over`, `betting_held`, `not_offered`, `odds_moved`,
   *   `too_many_bets`, `not_enough_money`, `key_used`
   */
  place(bettor: Bettor, request: BetRequest): Bet {
    if (request.stake < STAKES.least || request.stake > STAKES.most)
      throw new Refusal(400, 'stake_limit', 'The stake is below the least or above the most');
    const match = this.#fixtures.find(request.matchId, Date.now());
    const { gameServer, username, game } = bettor;
    const round = gameServer.rounds.play(username, {
      stake: request.stake,
      win: null,
      key: request.key,
      game,
      bets: JSON.stringify(slipOf(request, match)),
      // Inside the round's transaction, and only for a new key: a replay is not checked against current odds.
      outcome: () => {
        this.#mustTake(request, match, bettor);
        return null;
      },
    });
    this.#timer.schedule();
    const bet = betOf(round, gameServer.provider);
    if (!bet || !isFor(bet, request)) throw new Refusal(409, 'key_used', 'This key was used for something else');
    return bet;
  }

  /** A player's open bets and the latest settled ones; newest first. */
  of(bettor: Bettor): { open: Bet[]; settled: Bet[] } {
    return { open: this.#list(bettor, true), settled: this.#list(bettor, false) };
  }

  countOpen(bettor: Bettor): number {
    return this.#list(bettor, true).length;
  }

  /**
   * Settles every open bet whose match is over, each once. After a crash the next start settles the remaining bets,
   * with the same score.
   * @returns end time of the next match with open bets, or null
   */
  settleDue(now: number): number | null {
    const pendingEndTimes: number[] = [];
    for (const { provider, rounds } of this.#gameServers.values()) {
      const settlements = rounds.list({ username: null, open: true }).flatMap((round) => {
        const bet = betOf(round, provider);
        if (!bet) return [];
        const score = this.#fixtures.scoreToSettle(bet.matchId, now);
        if (score !== undefined) {
          const verdict = judge(bet, score);
          const win = verdict === 'void' ? verdict : payOf(verdict, bet.stake, bet.odds);
          return [{ id: bet.id, win, outcome: JSON.stringify({ score }) }];
        }
        pendingEndTimes.push(endOf(bet.matchId));
        return [];
      });
      rounds.settleAll(settlements);
    }
    return pendingEndTimes.length === 0 ? null : Math.min(...pendingEndTimes);
  }

  #list({ gameServer, username, game }: Bettor, open: boolean): Bet[] {
    const limit = open ? OPEN_AT_MOST : SETTLED_SHOWN;
    return gameServer.rounds
      .list({ username, open, game, limit })
      .flatMap((round) => betOf(round, gameServer.provider) ?? []);
  }

  #mustTake(request: BetRequest, match: Match, bettor: Bettor): void {
    if (isOver(match)) throw new Refusal(409, 'match_over', 'The match is over');
    if (match.isHeld) throw new Refusal(409, 'betting_held', 'No bets are taken on this match for a moment');
    const odds = oddsOf(marketsOf(match), request);
    if (odds === undefined) throw new Refusal(409, 'not_offered', 'This is not offered, or no longer');
    if (odds !== request.odds) throw new OddsMoved(odds);
    if (this.countOpen(bettor) >= OPEN_AT_MOST) throw new Refusal(409, 'too_many_bets', 'There are too many open bets');
  }
}

function slipOf({ matchId, market, line, pick, odds }: BetRequest, { minute, score }: Match): BetSlip {
  return { matchId, market, line, pick, odds, minute, home: score.home, away: score.away };
}

/** A round as a bet; undefined for a round of another game. */
function betOf({ id, stake, win, at, settledAt, game, bets }: Round, provider: Provider): Bet | undefined {
  if (game === null || bets === null || gameNamed(provider, game)?.kind !== 'sports') return undefined;
  return { ...(JSON.parse(bets) as BetSlip), id, stake, win, at, settledAt };
}

function isFor(bet: Bet, request: BetRequest): boolean {
  return (['matchId', 'market', 'line', 'pick', 'odds', 'stake'] as const).every(
    (field) => bet[field] === request[field],
  );
}
