import { ball, PLACES } from './balls.js';
import { game } from './game.js';
import { make } from './make.js';
import { hour, money, satang } from './money.js';

/** A ticket as the paper that it is: open, won or lost, each line with what it won. */
export function paper(ticket) {
  const { words } = game;
  const win = ticket.win === null ? null : satang(ticket.win);
  const state = win === null ? 'waiting' : win > 0 ? 'won' : 'lost';
  const word = { waiting: words.waiting, won: words.won, lost: words.lost1 }[state];
  return make(
    'article',
    { class: `paper ${state}`, 'data-ticket': ticket.id },
    make(
      'header',
      {},
      make(
        'div',
        {},
        make('b', {}, words.draw(ticket.draw)),
        make('small', { class: 'figures' }, ticket.drawAt === null ? '' : words.drawAt(hour(ticket.drawAt))),
      ),
      make('span', { class: 'stamp' }, word),
    ),
    ticket.result !== null && make('p', { class: 'mini' }, smallBalls(ticket.result)),
    make('ul', {}, ticket.lines.map(paperLine)),
    make(
      'footer',
      {},
      make('span', {}, `${words.paid} `, make('b', { class: 'figures' }, money(satang(ticket.stake)))),
      win !== null &&
        win > 0 &&
        make('span', { class: 'got' }, `${words.got} `, make('b', { class: 'figures' }, money(win))),
      make('small', { class: 'figures' }, words.ticket(ticket.id)),
    ),
  );
}

function paperLine({ kind, number, stake, win }) {
  const { words } = game;
  const hasWon = win !== null && satang(win) > 0;
  return make(
    'li',
    { class: hasWon ? 'hit' : win === null ? '' : 'miss' },
    make('b', { class: 'figures' }, number),
    make('span', {}, words.kinds[kind]),
    make(
      'span',
      { class: 'figures' },
      hasWon ? `${money(satang(stake))} → ${money(satang(win))}` : money(satang(stake)),
    ),
  );
}

function smallBalls(result) {
  return [...result].map((digit, at) => ball(digit, PLACES[at]));
}

/** Six balls with brackets: what counts on top above them, what counts below under them. */
export function tray(result) {
  const { words } = game;
  const digits = [...result];
  return make(
    'div',
    { class: 'tray', role: 'img', 'aria-label': result.split('').join(' ') },
    make('span', { class: 'bracket over top3' }, words.kinds.top3),
    make('span', { class: 'bracket over top2' }, words.kinds.top2),
    make(
      'div',
      { class: 'six' },
      PLACES.map((colour, at) => ball(digits[at], colour)),
    ),
    make('span', { class: 'bracket under below2' }, words.kinds.below2),
  );
}
