import { formatMoney } from '../../money.ts';
import { playerNamed } from '../game-servers.ts';
import { winningsOf } from './bets.ts';
import type { Lotto } from './lottery.ts';
import type { Draw } from './schedule.ts';
import type { Ticket } from './tickets.ts';

/** A draw for the page, without a planned result. */
export function drawView({ number, drawAt, drawnAt, result }: Draw): object {
  return { number, drawAt, drawnAt, result };
}

export function moneyView({ gameServer }: Lotto, username: string): { balance: string; outstanding: string } {
  const { balance, outstanding } = playerNamed(gameServer, username);
  return { balance: formatMoney(balance), outstanding: formatMoney(outstanding) };
}

/** A ticket with the win of each line; all lines are pending until the ticket is paid. */
export function ticketView({ id, draw: number, lines, stake, win, at }: Ticket, draw: Draw | undefined): object {
  const result = win === null ? null : (draw?.result ?? null);
  return {
    id,
    draw: number,
    drawAt: draw?.drawAt ?? null,
    at,
    stake: formatMoney(stake),
    win: win === null ? null : formatMoney(win),
    result,
    lines: lines.map((sold) => ({
      kind: sold.kind,
      number: sold.number,
      tenths: sold.tenths,
      stake: formatMoney(sold.stake),
      win: result === null ? null : formatMoney(winningsOf(sold, result)),
    })),
  };
}
