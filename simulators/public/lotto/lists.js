import { game } from './game.js';
import { drawing, find, make } from './make.js';
import { hour } from './money.js';
import { paper, tray } from './paper.js';

const FOLDED =
  '<path d="M30 12h60v60l-10-6-10 6-10-6-10 6-10-6-10 6Z" fill="#f8eedf"/><path d="M42 28h36M42 40h24" stroke="#b39a8c" stroke-width="4" stroke-linecap="round"/><circle cx="74" cy="52" r="7" fill="#b81f2d"/>';

function nothing(text) {
  return make('div', { class: 'nothing' }, drawing('0 0 120 84', FOLDED, 'blank'), make('p', {}, text));
}

export function showTickets(tickets) {
  const open = tickets.filter(({ win }) => win === null).length;
  find('badge').hidden = open === 0;
  find('badge').textContent = String(open);
  find('view-tickets').replaceChildren(
    ...(tickets.length === 0 ? [nothing(game.words.noTickets)] : tickets.map((ticket) => paper(ticket))),
  );
}

export function showResults(results) {
  const { words } = game;
  const [latest, ...earlier] = results;
  if (!latest) {
    find('view-results').replaceChildren(nothing(words.noResults));
    return;
  }
  find('view-results').replaceChildren(
    make(
      'section',
      { class: 'latest' },
      make(
        'h2',
        {},
        words.result(latest.number),
        make('small', { class: 'figures' }, words.drawAt(hour(latest.drawnAt))),
      ),
      tray(latest.result),
    ),
    earlier.length > 0 && make('h3', {}, words.earlier),
    earlier.length > 0 && table(earlier),
  );
}

function table(results) {
  const { words } = game;
  const heads = ['', words.kinds.top3, words.kinds.top2, words.kinds.below2];
  return make(
    'table',
    { class: 'earlier figures' },
    make(
      'thead',
      {},
      make(
        'tr',
        {},
        heads.map((text) => make('th', { scope: 'col' }, text)),
      ),
    ),
    make(
      'tbody',
      {},
      results.map(({ number, drawnAt, result }) =>
        make(
          'tr',
          {},
          make('th', { scope: 'row' }, words.draw(number), make('small', {}, hour(drawnAt))),
          make('td', { class: 'on-top' }, result.slice(3)),
          make('td', { class: 'on-top' }, result.slice(4)),
          make('td', { class: 'below' }, result.slice(2, 4)),
        ),
      ),
    ),
  );
}
