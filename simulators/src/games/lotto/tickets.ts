import { Refusal } from '../../refusal.ts';
import type { Round, Rounds } from '../rounds.ts';
import { type Line, RULES, type SoldLine } from './bets.ts';
import { type Draw, isSold } from './schedule.ts';

/** A round as a ticket; `win` is null until the draw. Satang; `at` in milliseconds since 1970. */
export type Ticket = Pick<Round, 'id' | 'username' | 'stake' | 'win' | 'at'> & TicketBets;

type TicketBets = { draw: number; lines: SoldLine[] };

function ticketOf({ id, username, stake, win, at, bets }: Round): Ticket {
  return { id, username, stake, win, at, ...(JSON.parse(bets ?? '{"draw":0,"lines":[]}') as TicketBets) };
}

/**
 * Sells a ticket; the same key with the same lines returns the existing ticket.
 * @throws Refusal `betting_closed`, `not_enough_money`, `unknown_player`, `key_used` for another ticket
 */
export function buyTicket(
  rounds: Rounds,
  order: { username: string; game: string; draw: Draw; lines: readonly Line[]; key: string },
): Ticket {
  const { username, game, draw, key } = order;
  const bets = JSON.stringify({
    draw: draw.number,
    lines: order.lines.map(({ kind, number, stake }) => ({ kind, number, stake, tenths: RULES[kind].tenths })),
  } satisfies TicketBets);
  const round = rounds.play(username, {
    stake: order.lines.reduce((total, line) => total + line.stake, 0),
    win: null,
    key,
    game,
    bets,
    outcome: () => {
      // Checked only for a new ticket: a replay returns a ticket that was sold in time.
      if (!isSold(draw)) throw new Refusal(409, 'betting_closed', 'Bets on this draw are closed');
      return null;
    },
  });
  if (round.game !== game || round.bets !== bets)
    throw new Refusal(409, 'key_used', 'This key was used for something else');
  return ticketOf(round);
}

/** The latest tickets of a player, including open ones; newest first. */
export function ticketsOf(rounds: Rounds, username: string, game: string, limit: number): Ticket[] {
  return [true, false]
    .flatMap((open) => rounds.list({ username, open, game, limit }))
    .map(ticketOf)
    .toSorted((first, second) => second.id - first.id)
    .slice(0, limit);
}

/** The unpaid tickets of a draw. */
export function openTickets(rounds: Rounds, game: string, draw: number): Ticket[] {
  return rounds
    .list({ username: null, open: true, game })
    .map(ticketOf)
    .filter((ticket) => ticket.draw === draw);
}
