import assert from 'node:assert/strict';
import { ask, type Reply } from '../harness.ts';
import { createMember, launchPath, moveCredit } from './players.ts';

export type Price = { pick: string; odds: number };
export type Market = { market: string; line: number | null; isMain: boolean; prices: Price[] };
export type MatchView = {
  id: number;
  kickoff: number;
  phase: string;
  minute: string;
  score: { home: number; away: number };
  markets: Market[];
};
export type BetView = {
  id: number;
  state: string;
  stake: number;
  odds: number;
  possible: number;
  paid: number | null;
  match: { id: number; phase: string; score: { home: number; away: number } };
};
export type Money = { balance: number; outstanding: number; openBets: number; error?: string };
export type PlacedBet = Money & { bet: BetView; odds: number };
export type Selection = { market: string; line: number | null; pick: string };

/** A player of the sports book, who calls the API like the page. Money in satang, odds in hundredths. */
export class Bettor {
  readonly address: string;
  readonly token: string;
  #keys = 0;

  constructor(address: string, token: string) {
    this.address = address;
    this.token = token;
  }

  get<Body>(path: string): Promise<Reply<Body>> {
    return ask<Body>(this.address, 'GET', `/games/askmebet/sports/${path}`, undefined, this.#headers());
  }

  post<Body>(body: unknown): Promise<Reply<Body>> {
    return ask<Body>(this.address, 'POST', '/games/askmebet/sports/bets', body, this.#headers());
  }

  async board(): Promise<Money & { matches: MatchView[]; language: string }> {
    return (await this.get<Money & { matches: MatchView[]; language: string }>('board')).body;
  }

  async bets(): Promise<Money & { open: BetView[]; settled: BetView[] }> {
    return (await this.get<Money & { open: BetView[]; settled: BetView[] }>('bets')).body;
  }

  match(id: number): Promise<MatchView> {
    return this.get<MatchView>(`matches/${id}`).then(({ body }) => body);
  }

  /** A match that starts in more than ten minutes, so that its odds are constant during a test. */
  async laterMatch(): Promise<MatchView> {
    const { matches } = await this.board();
    return this.#nextMatch(matches.at(-2)?.id ?? 0);
  }

  /** The match before another. */
  matchBefore({ id }: MatchView): Promise<MatchView> {
    return this.#nextMatch(id - 1);
  }

  /** The request for a bet on a selection of a match, at the current odds. */
  betRequest(match: MatchView, selection: Selection, stake: number) {
    const market = match.markets.find(({ market: kind, line }) => kind === selection.market && line === selection.line);
    const odds = market?.prices.find(({ pick }) => pick === selection.pick)?.odds;
    assert.ok(odds, `${selection.market} ${selection.pick} is offered`);
    return { key: `bet-key-${++this.#keys}`, matchId: match.id, ...selection, odds, stake };
  }

  async place(match: MatchView, selection: Selection, stake: number): Promise<PlacedBet> {
    const { status, body } = await this.post<PlacedBet>(this.betRequest(match, selection, stake));
    assert.equal(status, 200, body.error);
    return body;
  }

  async #nextMatch(id: number): Promise<MatchView> {
    const match = await this.match(id);
    assert.equal(match.phase, 'coming');
    return match;
  }

  #headers() {
    return { authorization: `Bearer ${this.token}` };
  }
}

const PASSWORD = 'Secret12';

/** A new player with credit (baht) and a session. */
export async function bettor(address: string, name: string, credit: string): Promise<Bettor> {
  await createMember(address, name, PASSWORD);
  if (credit !== '0.00') await moveCredit(address, 'deposit', name, credit);
  return new Bettor(address, await sessionOf(address, name));
}

/** Token of the session that a game's launch link opens. */
export async function sessionOf(address: string, name: string, game = 'sports'): Promise<string> {
  const open = await fetch(`${address}${launchPath(name, PASSWORD)}&game=${game}`, { redirect: 'manual' });
  return new URL(open.headers.get('location') ?? '', address).searchParams.get('ops') ?? '';
}

export type Finished = { matchId: number; phase: string; error?: string };

export const finish = (address: string, matchId: number, home: number, away: number) =>
  ask<Finished>(address, 'POST', '/control/games/sports/finish', { matchId, home, away });

export const callOff = (address: string, matchId: number) =>
  ask<Finished>(address, 'POST', '/control/games/sports/call-off', { matchId });
