import { randomInt } from 'node:crypto';
import { DueTimer } from '../../push/due-timer.ts';
import type { Store } from '../../store.ts';
import { gamesOfKind } from '../catalogue.ts';
import type { GameServer } from '../game-server.ts';
import type { GameServers } from '../game-servers.ts';
import { winningsOf } from './bets.ts';
import { type Draw, nextDrawAt } from './schedule.ts';
import { openTickets } from './tickets.ts';

/** One lotto: a game of a provider, with its own draws. */
export type Lotto = { gameServer: GameServer; game: string };

const DRAW_COLUMNS = 'number, draw_at as drawAt, planned, result, drawn_at as drawnAt';
const FROM_GAME_DRAWS = 'from lotto_draw where provider = ? and game = ?';

/** The draws of all lottos: sold one after another, and drawn on schedule even without players. */
export class Lottery {
  readonly lottos: readonly Lotto[];
  readonly #store: Store;
  readonly #timer = new DueTimer(() => this.#goOn());

  constructor(store: Store, gameServers: GameServers) {
    this.#store = store;
    this.lottos = [...gameServers.values()].flatMap((gameServer) =>
      gamesOfKind(gameServer.provider, 'lotto').map(({ code }) => ({ gameServer, game: code })),
    );
  }

  resume(): void {
    this.#timer.schedule();
  }

  stop(): void {
    this.#timer.stop();
  }

  /** The draw on sale. Makes due draws first, so the result is never a past draw. */
  current(lotto: Lotto): Draw {
    this.#drawDue(lotto);
    const undrawnDraw = this.#undrawn(lotto);
    if (undrawnDraw) return undrawnDraw;
    const number = (this.last(lotto, 1)[0]?.number ?? 0) + 1;
    this.#store.run(
      'insert into lotto_draw (provider, game, number, draw_at) values (?, ?, ?, ?)',
      ...names(lotto),
      number,
      nextDrawAt(Date.now()),
    );
    this.#timer.schedule();
    return this.#mustFind(lotto, number);
  }

  find(lotto: Lotto, number: number): Draw | undefined {
    return this.#store.one<Draw>(`select ${DRAW_COLUMNS} ${FROM_GAME_DRAWS} and number = ?`, ...names(lotto), number);
  }

  /** The latest results, newest first. */
  last(lotto: Lotto, count: number): Draw[] {
    return this.#store.all<Draw>(
      `select ${DRAW_COLUMNS} ${FROM_GAME_DRAWS} and result is not null order by number desc limit ?`,
      ...names(lotto),
      count,
    );
  }

  /**
   * Reschedules the current draw to a delay or to now, which ends its sale early.
   * @param result six digits, or null for a random result
   * @returns the draw, drawn when `afterMs` is 0
   */
  drawSoon(lotto: Lotto, result: string | null, afterMs: number): Draw {
    const { number } = this.current(lotto);
    this.#store.run(
      'update lotto_draw set draw_at = ?, planned = ? where provider = ? and game = ? and number = ? and result is null',
      Date.now() + afterMs,
      result,
      ...names(lotto),
      number,
    );
    if (afterMs === 0) this.#drawDue(lotto);
    this.#timer.schedule();
    return this.#mustFind(lotto, number);
  }

  /** Makes due draws and pays their tickets. @returns time of the next draw; null without lottos */
  #goOn(): number | null {
    const drawTimes = this.lottos.map((lotto) => this.current(lotto).drawAt);
    return drawTimes.length === 0 ? null : Math.min(...drawTimes);
  }

  /**
   * Stores the result before it pays tickets, and pays all tickets in one transaction. After a crash in between it
   * continues with the same result, and no ticket is paid twice.
   */
  #drawDue(lotto: Lotto): void {
    const now = Date.now();
    const dueDraw = this.#undrawn(lotto);
    if (dueDraw && dueDraw.drawAt <= now) {
      this.#store.run(
        'update lotto_draw set result = ?, drawn_at = ? where provider = ? and game = ? and number = ? and result is null',
        dueDraw.planned ?? String(randomInt(1_000_000)).padStart(6, '0'),
        now,
        ...names(lotto),
        dueDraw.number,
      );
    }
    const drawnDraws = this.#store.all<{ number: number; result: string }>(
      `select number, result ${FROM_GAME_DRAWS} and result is not null and settled = 0 order by number`,
      ...names(lotto),
    );
    for (const draw of drawnDraws) this.#settle(lotto, draw);
  }

  #settle(lotto: Lotto, { number, result }: { number: number; result: string }): void {
    const { rounds } = lotto.gameServer;
    const settlements = openTickets(rounds, lotto.game, number).map(({ id, lines }) => ({
      id,
      win: lines.reduce((total, line) => total + winningsOf(line, result), 0),
      outcome: result,
    }));
    rounds.settleAll(settlements);
    this.#store.run(
      'update lotto_draw set settled = 1 where provider = ? and game = ? and number = ?',
      ...names(lotto),
      number,
    );
  }

  #undrawn(lotto: Lotto): Draw | undefined {
    return this.#store.one<Draw>(
      `select ${DRAW_COLUMNS} ${FROM_GAME_DRAWS} and result is null order by number limit 1`,
      ...names(lotto),
    );
  }

  #mustFind(lotto: Lotto, number: number): Draw {
    const draw = this.find(lotto, number);
    if (!draw) throw new Error(`draw ${number} vanished`);
    return draw;
  }
}

const names = ({ gameServer, game }: Lotto): [string, string] => [gameServer.provider, game];
