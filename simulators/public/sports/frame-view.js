import { book } from './book.js';
import { h } from './dom.js';
import { icon } from './pieces.js';

/** The left of the bar at the top: the way back and the name of the house. */
export function topView() {
  const { words, board, view } = book;
  const isInside = view !== 'matches';
  return [
    board?.returnUrl
      ? h(
          'a',
          {
            class: `round exit${isInside ? ' only-wide' : ''}`,
            key: 'exit',
            href: board.returnUrl,
            'aria-label': words.exit,
          },
          icon('exit'),
          words.wallet,
        )
      : undefined,
    isInside && h('a', { class: 'round only-narrow', key: 'back', href: '#', 'aria-label': words.back }, icon('back')),
    h('h1', { key: 'title' }, icon('ball', 'house-mark'), board?.title ?? words.title),
  ].filter(Boolean);
}

/** Said below the bar while the server can't be reached. */
export function shakyView() {
  return book.problem === 'offline' ? [h('p', { class: 'shaky', role: 'status' }, book.words.lost)] : [];
}

export function navView() {
  const { words, view, board } = book;
  const item = (href, name, text, isHere, count) =>
    h(
      'a',
      { href, key: name, class: isHere ? 'here' : '', 'aria-current': isHere ? 'page' : undefined },
      icon(name),
      text,
      count > 0 && h('span', { class: 'count figures' }, String(count)),
    );
  return [
    item('#', 'ball', words.matches, view !== 'bets', 0),
    item('#bets', 'ticket', words.myBets, view === 'bets', board?.openBets ?? 0),
  ];
}

/** Covers the page when the session is over. */
export function curtainView() {
  const { words, board, problem } = book;
  if (problem !== 'over') return [];
  return [
    h(
      'div',
      { class: 'curtain', role: 'alertdialog', 'aria-labelledby': 'over-title', key: 'over' },
      h(
        'svg',
        { viewBox: '0 0 160 120', 'aria-hidden': 'true' },
        h('path', { class: 'w-cord', d: 'M16 22c24-14 42 6 56 22' }),
        h('path', { class: 'w-body', d: 'M64 40h58v20H104a30 30 0 1 1-40-12z' }),
        h('circle', { class: 'w-hole', cx: 76, cy: 76, r: 12 }),
        h('path', { class: 'w-air', d: 'M132 30l10-10M138 48h14M132 66l10 8' }),
      ),
      h('h2', { id: 'over-title' }, words.sessionOver),
      h('p', {}, words.sessionOverNote),
      board?.returnUrl && h('a', { class: 'way way-main', href: board.returnUrl }, words.exit),
    ),
  ];
}
