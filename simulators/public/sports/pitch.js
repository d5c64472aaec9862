import { colourOf, fanColours } from './badges.js';
import { book, isOver } from './book.js';
import { h } from './dom.js';

/** The pitch in metres: 105 by 68. */
const LINES = [
  'M1 1h103v66H1zM52.500 1v66',
  'M52.500 24.850a9.150 9.150 0 1 1 0 18.300 9.150 9.150 0 0 1 0-18.300z',
  'M1 13.850h16.500v40.300H1M1 24.850h5.500v18.300H1M17.500 26.700a9.150 9.150 0 0 1 0 14.600',
  'M104 13.850H87.500v40.300H104M104 24.850h-5.500v18.300h5.500M87.500 26.700a9.150 9.150 0 0 0 0 14.600',
  'M1 2.500A1.500 1.500 0 0 0 2.500 1M102.500 1a1.500 1.500 0 0 0 1.500 1.500M1 65.500A1.500 1.500 0 0 1 2.500 67M102.500 67a1.500 1.500 0 0 1 1.500-1.500',
];
const GOALS = ['M1 30.300h-2.200v7.400H1', 'M104 30.300h2.200v7.400H104'];
const TRAIL = 5;
const trails = new Map();

const metres = ({ x, y }) => [1 + (x * 103) / 100, 1 + (y * 66) / 100];

/** Where the ball has been lately, in metres. */
function trailOf({ id, ball }) {
  const [x, y] = metres(ball);
  const trail = trails.get(id) ?? [];
  const last = trail.at(-1);
  if (!last || last[0] !== x || last[1] !== y) trail.push([x, y]);
  if (trail.length > TRAIL) trail.shift();
  trails.set(id, trail);
  return trail;
}

/** The drawn pitch with the ball, where it came from, and who presses. */
export function pitch(match) {
  const playing = match.phase === 'first' || match.phase === 'second';
  const [x, y] = metres(match.ball);
  const trail = trailOf(match);
  const pressing = match.ball.x > 62 ? 'home' : match.ball.x < 38 ? 'away' : '';
  const call = goalCall(match);
  return h(
    'div',
    { class: `pitch${playing ? ' playing' : ''}`, key: `pitch-${match.id}` },
    stand(match, call?.side),
    h(
      'svg',
      { class: 'grass', viewBox: '-4 -1 113 70', 'aria-hidden': 'true', preserveAspectRatio: 'xMidYMid meet' },
      h('rect', { x: -4, y: -1, width: 113, height: 70, class: 'ground' }),
      Array.from({ length: 6 }, (_, n) => h('rect', { x: n * 17.5, y: 0, width: 8.75, height: 68, class: 'stripe' })),
      ['home', 'away'].map((side) =>
        h('path', {
          class: `press${playing && pressing === side ? ' on' : ''}`,
          fill: '#fff',
          d: side === 'home' ? 'M60 1h44v66H60l14-33z' : 'M45 1H1v66h44L31 34z',
        }),
      ),
      LINES.map((d) => h('path', { class: 'chalk', d })),
      GOALS.map((d) => h('path', { class: 'net', d })),
      playing &&
        trail.length > 1 &&
        h('polyline', { class: 'trail', points: trail.map((at) => at.join(',')).join(' ') }),
      !isOver(match) &&
        h(
          'g',
          { class: 'ball', style: { transform: `translate(${x}px, ${y}px)` } },
          h('ellipse', { class: 'ball-shade', cx: 0.6, cy: 1.5, rx: 2, ry: 0.9 }),
          h('circle', { class: 'ball-ring', r: 3.4, stroke: pressing ? colourOf(match[pressing].id) : '#fff' }),
          h('circle', { class: 'ball-body', r: 1.7 }),
        ),
    ),
    call?.shown,
  );
}

const ROWS = 4;
const SEATS = 19;

/** The stand behind the pitch: who is for the home side sits on the left. */
function stand(match, cheering) {
  return h(
    'svg',
    { class: 'stand', viewBox: '0 0 320 42', 'aria-hidden': 'true' },
    h('path', { class: 'roof', d: 'M2 3h316' }),
    ['home', 'away'].map((side) =>
      h(
        'g',
        { class: cheering === side ? 'cheer' : '' },
        Array.from({ length: ROWS }, (_, row) =>
          h('path', {
            class: 'fans',
            d: seats(side, row),
            stroke: fanColours(match[side].id)[(row + (side === 'home' ? 0 : 1)) % 2],
          }),
        ),
      ),
    ),
    h('path', { class: 'board', d: 'M0 36h320v6H0z' }),
  );
}

/** Heads as dots: the places of one row of one half, some of them empty. */
function seats(side, row) {
  const from = side === 'home' ? 6 : 166;
  const places = Array.from({ length: SEATS }, (_, n) => n).filter(
    (n) => (n * 7 + row * 5 + (side === 'home' ? 0 : 3)) % 11 !== 0,
  );
  return places.map((n) => `M${from + n * 8 + (row % 2) * 4} ${11 + row * 7.5}h0`).join('');
}

const FRESH_MS = 5000;
const scores = new Map();

/** A call across the pitch for some seconds after a goal that this page has seen coming. */
function goalCall(match) {
  const { home, away } = match.score;
  const known = scores.get(match.id);
  const sum = home + away;
  if (known && sum > known.sum && !isOver(match)) {
    scores.set(match.id, { sum, at: Date.now(), side: home > known.home ? 'home' : 'away', home });
  } else if (!known || sum !== known.sum) scores.set(match.id, { sum, at: 0, home });
  const { at, side } = scores.get(match.id);
  if (Date.now() - at > FRESH_MS || !side) return undefined;
  const shown = h(
    'p',
    { class: 'goal-call', key: `goal-${match.id}-${sum}` },
    h('b', {}, book.words.goalCall),
    h('span', {}, match[side].name),
  );
  return { side, shown };
}

/** The current phase, in a sentence. */
export function commentary(match) {
  const { words } = book;
  if (match.phase === 'coming') return words.kickoffSoon;
  if (match.phase === 'break') return words.breakTalk;
  if (match.phase === 'finished') return words.ended;
  if (match.phase === 'called-off') return words.calledOffTalk;
  const last = (match.happenings ?? match.last).at(-1);
  if (last && match.tick - last.tick <= 3) return `${words.happenings[last.kind]} · ${match[last.side].name}`;
  const { x } = match.ball;
  if (x > 74) return words.attack(match.home.name);
  if (x < 26) return words.attack(match.away.name);
  if (x > 56) return words.holds(match.home.name);
  return x < 44 ? words.holds(match.away.name) : words.midfield;
}
