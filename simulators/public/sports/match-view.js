import { colourOf } from './badges.js';
import { book, isOver } from './book.js';
import { h } from './dom.js';
import { lineText } from './figures.js';
import { liveTop, scoreboard } from './matches-view.js';
import { icon, oddsButton } from './pieces.js';
import { commentary, pitch } from './pitch.js';

const KINDS = ['result', 'handicap', 'total'];

/** One match: its pitch, all its odds, figures and what has happened. */
export function matchView() {
  const { match, words } = book;
  if (!match) return [h('p', { class: 'pick-match' }, book.matchId === undefined ? words.pickMatch : '')];
  return [
    h(
      'div',
      { class: 'stage', key: `stage-${match.id}` },
      liveTop(match),
      scoreboard(match),
      pitch(match),
      h('p', { class: 'commentary', 'aria-live': 'polite' }, commentary(match)),
    ),
    h('div', { class: 'markets', key: 'markets' }, markets(match)),
    match.phase !== 'coming' && h('div', { class: 'facts', key: 'facts' }, figures(match), timeline(match)),
  ].filter(Boolean);
}

function markets(match) {
  const { words } = book;
  if (match.markets.length === 0) return [h('p', { class: 'closed closed-all' }, words.closed)];
  return [
    match.held && h('p', { class: 'held', key: 'held' }, icon('lock'), words.held),
    KINDS.map((kind) => {
      const lines = match.markets.filter(({ market }) => market === kind);
      if (lines.length === 0) return undefined;
      return h(
        'section',
        { class: 'market', key: kind },
        h('h3', {}, words.markets[kind]),
        lines.map((line) => row(match, line)),
        h('p', { class: 'market-note' }, words.marketNotes[kind]),
      );
    }),
  ];
}

function row(match, market) {
  const { words } = book;
  const label = (pick) => {
    if (market.market === 'total') return `${words.picks[pick]} ${lineText(market.line)}`;
    if (market.market === 'result') return words.picks[pick];
    return `${match[pick].name} ${lineText(pick === 'home' ? market.line : -market.line, true)}`;
  };
  return h(
    'div',
    {
      class: `odds-row odds-${market.prices.length}${market.isMain ? ' main' : ''}`,
      key: `${market.market}-${market.line}`,
    },
    market.prices.map((price) => oddsButton(match, market, price, label(price.pick))),
  );
}

function figures(match) {
  const { words } = book;
  const { pressure, ...counts } = match.figures;
  const rows = { ...counts, pressure: { home: pressure, away: 100 - pressure } };
  return h(
    'section',
    { class: 'panel' },
    h('h3', {}, words.figuresTitle),
    h(
      'div',
      { class: 'figure-list' },
      Object.entries(rows)
        .filter(([kind, { home, away }]) => kind !== 'reds' || home + away > 0)
        .map(([kind, { home, away }]) =>
          h(
            'div',
            { class: 'figure', key: kind },
            h('span', { class: 'figure-name' }, words.figures[kind]),
            h('b', { class: 'figures figure-home' }, String(home)),
            h('b', { class: 'figures figure-away' }, String(away)),
            h(
              'span',
              { class: 'bar' },
              ['home', 'away'].map((side) => {
                const part = home + away === 0 ? 0.5 : (side === 'home' ? home : away) / (home + away);
                const style = { transform: `scaleX(${part.toFixed(3)})`, background: colourOf(match[side].id) };
                return h('i', {
                  class: `bar-${side}`,
                  style: home + away === 0 ? { ...style, background: '#cdd5cb' } : style,
                });
              }),
            ),
          ),
        ),
    ),
  );
}

function timeline(match) {
  const { words } = book;
  const events = match.happenings.filter(({ kind }) => kind !== 'chance').toReversed();
  return h(
    'section',
    { class: 'panel' },
    h('h3', {}, words.timeline),
    events.length === 0
      ? h('p', { class: 'quiet' }, words.nothingYet)
      : h(
          'ol',
          { class: 'timeline' },
          events.map(({ kind, side, tick, minute }) =>
            h(
              'li',
              { class: `event event-${side} event-${kind}`, key: `${tick}-${kind}` },
              h('span', { class: 'event-minute figures' }, words.minute(minute)),
              mark(kind),
              h('span', { class: 'event-text' }, h('b', {}, words.happenings[kind]), ` ${match[side].name}`),
            ),
          ),
        ),
    isOver(match) && h('p', { class: 'quiet' }, commentary(match)),
  );
}

function mark(kind) {
  if (kind === 'yellow' || kind === 'red') return h('i', { class: `card card-${kind}` });
  if (kind === 'goal') return icon('ball', 'event-ball');
  return h(
    'svg',
    { class: 'event-flag', viewBox: '0 0 24 24', 'aria-hidden': 'true' },
    h('path', { d: 'M7 21V3l11 5-11 5' }),
  );
}
