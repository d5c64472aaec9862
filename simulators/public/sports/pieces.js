import { book, now } from './book.js';
import { h } from './dom.js';
import { countdown, lineText, oddsText } from './figures.js';

const ICONS = {
  back: 'M15 5 8 12l7 7',
  exit: 'M10 5H6v14h4M14 8l4 4-4 4M18 12H9',
  close: 'M6 6l12 12M18 6 6 18',
  lock: 'M7 11h10v8H7zM9 11V8a3 3 0 0 1 6 0v3',
  ball: 'M12 3a9 9 0 1 1 0 18 9 9 0 0 1 0-18zM12 8l4 3-1.500 4.600h-5L8 11zM12 8V3.500M16 11l4.500-1.500M14.500 15.600l2.800 3.800M9.500 15.600l-2.800 3.800M8 11 3.500 9.500',
  ticket: 'M4 7h16v3.500a1.800 1.800 0 0 0 0 3.500v3.500H4V14a1.800 1.800 0 0 0 0-3.500zM10 10h5M10 14h3',
  check: 'M5 12.500 10 17.500 19.500 7',
  up: 'M12 6l6 9H6z',
  down: 'M12 18 6 9h12z',
  arrow: 'M9 5l7 7-7 7',
};

export function icon(name, className = 'icon') {
  return h('svg', { class: className, viewBox: '0 0 24 24', 'aria-hidden': 'true' }, h('path', { d: ICONS[name] }));
}

export function badge(team, className = 'badge') {
  return h('svg', { class: className, 'aria-hidden': 'true' }, h('use', { href: `#badge-${team.id}` }));
}

/** What a pick is called: the team where it is one. */
export function pickText({ market, line, pick }, match) {
  const { words } = book;
  if (market === 'total') return `${words.picks[pick]} ${lineText(line)}`;
  const name = pick === 'draw' ? words.picks.draw : match[pick].name;
  if (market === 'result') return name;
  return `${name} ${lineText(pick === 'home' ? line : -line, true)}`;
}

/** Odds that can be tapped; an arrow shows for a while where they have gone. */
export function oddsButton(match, { market, line }, price, label) {
  const selection = { matchId: match.id, market, line, pick: price.pick };
  const name = [match.id, market, line, price.pick].join(':');
  const chosen = book.slip && !book.slip.placed && book.slip.name === name;
  const moved = moves(name, price.odds);
  return h(
    'button',
    {
      type: 'button',
      class: `odds${chosen ? ' chosen' : ''}${moved ? ` ${moved}` : ''}`,
      disabled: match.held,
      'aria-pressed': chosen ? 'true' : 'false',
      'data-act': 'pick',
      'data-name': name,
      'data-pick': JSON.stringify(selection),
    },
    h('span', { class: 'odds-label' }, label),
    h(
      'span',
      { class: 'odds-figure figures' },
      match.held ? icon('lock', 'odds-lock') : [moved && icon(moved, 'odds-arrow'), oddsText(price.odds)],
    ),
  );
}

const seen = new Map();
const SHOWN_MS = 6000;

/** Whether odds went up or down in the last moments. */
function moves(name, odds) {
  const known = seen.get(name);
  if (!known) seen.set(name, { odds, at: 0, way: '' });
  else if (known.odds !== odds) seen.set(name, { odds, at: Date.now(), way: odds > known.odds ? 'up' : 'down' });
  const { at, way } = seen.get(name);
  return Date.now() - at < SHOWN_MS ? way : '';
}

/** The three results of a match as odds. */
export function resultOdds(match) {
  const { words } = book;
  const market = match.markets.find((one) => one.market === 'result');
  const best = market ?? match.markets.find((one) => one.market === 'handicap');
  if (!best) return h('p', { class: 'closed' }, words.closed);
  const label = (pick) => (best.market === 'result' ? words.picks[pick] : pickText({ ...best, pick }, match));
  return h(
    'div',
    { class: `odds-row odds-${best.prices.length}` },
    best.prices.map((price) => oddsButton(match, best, price, label(price.pick))),
  );
}

/** Where a match is, in a word or a minute. */
export function clockText(match) {
  const { words } = book;
  if (match.phase === 'coming') return words.inTime(countdown(match.kickoff - now()));
  return words.phases[match.phase] ?? words.minute(match.minute);
}
