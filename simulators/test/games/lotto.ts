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

/** A player of a lotto (default: `askmebet`), authenticated by the token of a session, like the page. */
export class LottoPlayer {
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

  /** Buys lines for the current draw. Fails unless the ticket is sold. */
  async sold(lines: LottoLine[], key: string): Promise<ShownTicket> {
    const { draw } = (await this.get('state')).body;
    const purchase = await this.buy({ draw: draw.number, lines, key });
    assert.equal(purchase.status, 201, JSON.stringify(purchase.body));
    return purchase.body.ticket;
  }

  /** Current state of one of the player's tickets. */
  async ticket(id: number): Promise<ShownTicket> {
    const foundTicket = (await this.get('tickets')).body.tickets.find((ticket) => ticket.id === id);
    assert.ok(foundTicket, `ticket ${id}`);
    return foundTicket;
  }

  #headers(): Record<string, string> {
    return { authorization: `Bearer ${this.token}` };
  }
}

/** Creates a member with credit and opens the game with a code. */
export async function openLottoPlayer(
  address: string,
  name: string,
  credit = '1000.00',
  game = 'balls',
): Promise<LottoPlayer> {
  await createMember(address, name, 'pw1');
  await moveCredit(address, 'deposit', name, credit);
  return new LottoPlayer(address, await tokenOf(address, name, game));
}

/** Token of a new session of an existing member. */
export async function tokenOf(address: string, name: string, game = 'balls'): Promise<string> {
  const response = await fetch(`${address}${launchPath(name, 'pw1')}&game=${game}`, { redirect: 'manual' });
  return new URL(response.headers.get('location') ?? '', address).searchParams.get('ops') ?? '';
}

/** Triggers a draw through the control API. */
export function drawNow(address: string, body: object = {}): Promise<Reply<LottoReply>> {
  return ask(address, 'POST', '/control/games/lotto/draw', { provider: 'askmebet', ...body });
}
