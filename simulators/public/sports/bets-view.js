import { book, isLive } from './book.js';
import { h } from './dom.js';
import { money, oddsText, verdictOf } from './figures.js';
import { badge, clockText, icon, pickText } from './pieces.js';

/** The player's bets as tickets: the open ones with how they stand, and those that are settled. */
export function betsView() {
  const { words, bets, betsShown, board } = book;
  const shown = bets?.[betsShown] ?? [];
  const tab = (kind, count) =>
    h(
      'button',
      {
        type: 'button',
        role: 'tab',
        'aria-selected': betsShown === kind ? 'true' : 'false',
        'data-act': 'tab',
        'data-tab': kind,
      },
      words[kind],
      count > 0 && h('span', { class: 'count figures' }, String(count)),
    );
  return [
    h(
      'div',
      { class: 'bets-head', key: 'head' },
      h('h2', {}, words.myBets),
      h('p', {}, words.outstanding, h('b', { class: 'figures' }, money(board.outstanding))),
    ),
    h('div', { class: 'tabs', role: 'tablist', key: 'tabs' }, tab('open', board.openBets), tab('settled', 0)),
    bets && shown.length === 0
      ? empty(betsShown)
      : h('div', { class: 'tickets', key: `tickets-${betsShown}` }, shown.map(ticket)),
  ];
}

function ticket(bet) {
  const { words } = book;
  const { match, state } = bet;
  const score = `${match.score.home}–${match.score.away}`;
  const begun = match.phase !== 'coming' && match.phase !== 'called-off';
  return h(
    'article',
    { class: `ticket ticket-${state}`, key: bet.id },
    h(
      'div',
      { class: 'ticket-top' },
      h('p', { class: 'ticket-pick' }, h('span', {}, words.markets[bet.market]), h('b', {}, pickText(bet, match))),
      h('p', { class: 'ticket-odds figures' }, `@ ${oddsText(bet.odds)}`),
    ),
    h(
      'a',
      { class: 'ticket-match', href: `#match-${match.id}` },
      h('span', { class: 'ticket-team' }, badge(match.home, 'badge badge-small'), match.home.name),
      h('b', { class: 'figures' }, begun ? score : '–'),
      h('span', { class: 'ticket-team away' }, match.away.name, badge(match.away, 'badge badge-small')),
      h('span', { class: `ticket-clock figures${isLive(match) ? ' on' : ''}` }, clockText(match)),
    ),
    h(
      'div',
      { class: 'ticket-money' },
      h('p', {}, words.stake, h('b', { class: 'figures' }, money(bet.stake))),
      h(
        'p',
        {},
        state === 'open' ? words.mayReturn : words.paid[state],
        h('b', { class: 'figures' }, money(state === 'open' ? bet.possible : bet.paid)),
      ),
      h('span', { class: `stamp-word stamp-${state}` }, words.states[state]),
    ),
    h('p', { class: 'ticket-foot' }, foot(bet, isLive(match))),
  );
}

function foot(bet, live) {
  const { words } = book;
  const taken = words.takenAt(`${bet.taken.home}–${bet.taken.away}`, bet.taken.minute);
  const number = h('span', { class: 'figures' }, `${words.bill(bet.id)} · ${taken}`);
  if (bet.state !== 'open' || !live) return [number];
  const verdict = verdictOf(bet, bet.match.score);
  return [number, h('b', { class: `if-now if-${verdict}` }, words.ifNow[verdict])];
}

/** An empty bench, and where to go from there. */
function empty(kind) {
  const { words } = book;
  const [title, note] =
    kind === 'open' ? [words.emptyOpen, words.emptyOpenNote] : [words.emptySettled, words.emptySettledNote];
  return h(
    'div',
    { class: 'empty', key: `empty-${kind}` },
    h(
      'svg',
      { viewBox: '0 0 220 130', 'aria-hidden': 'true' },
      h('path', { class: 'e-grass', d: 'M0 104h220v26H0z' }),
      h('path', { class: 'e-stripe', d: 'M20 104h44l-10 26H8zM108 104h44l4 26h-50z' }),
      h('path', {
        class: 'e-net',
        d: 'M52 34h116M52 48h116M52 62h116M52 76h116M52 90h116M66 22v82M82 22v82M98 22v82M114 22v82M130 22v82M146 22v82',
      }),
      h('path', { class: 'e-post', d: 'M46 106V20h128v86' }),
      h('ellipse', { class: 'e-shade', cx: 112, cy: 116, rx: 16, ry: 4 }),
      h('circle', { class: 'e-ball', cx: 110, cy: 104, r: 13 }),
      h('path', {
        class: 'e-patch',
        d: 'M110 97l6 4.500-2.300 7h-7.400l-2.300-7zM110 91v6M122 101l-6 .5M117.500 114.500l-3.800-6M102.500 114.500l3.800-6M98 101l6 .5',
      }),
    ),
    h('h3', {}, title),
    h('p', {}, note),
    kind === 'open' && h('a', { class: 'way way-main only-narrow', href: '#' }, words.toMatches, icon('arrow')),
  );
}
