import assert from 'node:assert/strict';
import { ask, type Reply } from '../harness.ts';
import { createMember, launchPath, moveCredit } from './players.ts';

export type LottoLine = { kind: string; number: string; stake: number };
export type ShownTicket = {
  id: number;
  draw: number;
  stake: string;
  win: string | null;
  result: string | null;
  lines: { kind: string; number: string; stake: string; win: string | null }[];
};
export type LottoReply = {
  error?: string;
  username: string;
  language: string;
  returnUrl: string | null;
  balance: string;
  outstanding: string;
  draw: { number: number; drawAt: number; closesAt: number; open: boolean };
  last: { number: number; result: string } | null;
  kinds: { kind: string; digits: number; tenths: number }[];
  ticket: ShownTicket;
  tickets: ShownTicket[];
  results: { number: number; result: string }[];
  draws: { provider: string; game: string; number: number; result: string | null }[];
};

/** A player of a lotto (by default that of `askmebet`), authenticated like the page, by the token of a session. */
export class Gambler {
  readonly address: string;
  readonly token: string;
  readonly provider: string;

  constructor(address: string, token: string, provider = 'askmebet') {
    this.address = address;
    this.token = token;
    this.provider = provider;
  }

  get(path: string, provider = this.provider): Promise<Reply<LottoReply>> {
    return ask(this.address, 'GET', `/games/${provider}/lotto/${path}`, undefined, this.#headers());
  }

  buy(body: unknown): Promise<Reply<LottoReply>> {
    return ask(this.address, 'POST', `/games/${this.provider}/lotto/tickets`, body, this.#headers());
  }

  /** Buys lines for the draw that is sold now; the ticket must be sold. */
  async sold(lines: LottoLine[], key: string): Promise<ShownTicket> {
    const { draw } = (await this.get('state')).body;
    const bought = await this.buy({ draw: draw.number, lines, key });
    assert.equal(bought.status, 201, JSON.stringify(bought.body));
    return bought.body.ticket;
  }

  /** The current state of an own ticket. */
  async ticket(id: number): Promise<ShownTicket> {
    const found = (await this.get('tickets')).body.tickets.find((ticket) => ticket.id === id);
    assert.ok(found, `ticket ${id}`);
    return found;
  }

  #headers(): Record<string, string> {
    return { authorization: `Bearer ${this.token}` };
  }
}

/** A new member with credit, in the game that a code names. */
export async function gambler(address: string, name: string, credit = '1000.00', game = 'balls'): Promise<Gambler> {
  await createMember(address, name, 'pw1');
  await moveCredit(address, 'deposit', name, credit);
  return new Gambler(address, await tokenOf(address, name, game));
}

/** The token of a new session of an existing member. */
export async function tokenOf(address: string, name: string, game = 'balls'): Promise<string> {
  const response = await fetch(`${address}${launchPath(name, 'pw1')}&game=${game}`, { redirect: 'manual' });
  return new URL(response.headers.get('location') ?? '', address).searchParams.get('ops') ?? '';
}

/** Draws by the control. */
export function drawNow(address: string, body: object = {}): Promise<Reply<LottoReply>> {
  return ask(address, 'POST', '/control/games/lotto/draw', { provider: 'askmebet', ...body });
}
