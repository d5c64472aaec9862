/** Symbols of the gaming table: playing cards and dice, rarest first, each in a square of 100, lit from the upper left. */
const RED = '#b81f2d';
const INK = '#23121f';

/** Suits in a square of 40 around 0, 0. */
const suits = {
  spade: 'M0-20C10-8 18-3 18 5A9 9 0 0 1 3 10L7 20H-7L-3 10A9 9 0 0 1-18 5C-18-3-10-8 0-20Z',
  heart: 'M0 20C-13 8-19 2-19-7A10 10 0 0 1 0-12 10 10 0 0 1 19-7C19 2 13 8 0 20Z',
  club: 'M0-20A10 10 0 0 1 9-6 10 10 0 1 1 3 9L7 20H-7L-3 9A10 10 0 1 1-9-6 10 10 0 0 1 0-20Z',
  diamond: 'M0-21 15 0 0 21-15 0Z',
};
const ground = (fill, edge) =>
  `<rect x="21" y="8" width="62" height="88" rx="8" fill="#000" opacity=".35"/><rect x="19" y="5" width="62" height="88" rx="8" fill="${fill}"/><path d="M19 13a8 8 0 0 1 8-8h46L19 70Z" fill="#fff" opacity=".55"/><rect x="19" y="5" width="62" height="88" rx="8" fill="none" stroke="${edge}" stroke-width="1.800"/>`;
const index = (text, colour, turn) =>
  `<text x="27.500" y="29" font-size="${text.length > 1 ? 17 : 20}" font-weight="800" fill="${colour}" text-anchor="${text.length > 1 ? 'start' : 'middle'}" dx="${text.length > 1 ? -5 : 3}" ${turn ? 'transform="rotate(180 50 49)"' : ''}>${text}</text>`;

/** A card with its index in two corners and `middle` between them. */
const card = (text, suit, middle = '') => {
  const colour = suit === 'heart' || suit === 'diamond' ? RED : INK;
  const pip = `<path d="${suits[suit]}" fill="${colour}" transform="translate(50 ${middle ? 64 : 50}) scale(${middle ? 0.8 : 1.15})"/>`;
  return ground('#fff8ea', '#cdb8bf') + index(text, colour) + index(text, colour, true) + pip + middle;
};
/** A court card's crown; the higher the court, the taller. */
const crown = (fill, height) =>
  `<g transform="translate(11.5 9) scale(.77)"><path d="M36 47 32 27l9 8 9-${height} 9 ${height} 9-8-4 20Z" fill="${fill}" stroke="#8f5c14" stroke-width="2" stroke-linejoin="round"/><circle cx="50" cy="41" r="2.600" fill="${RED}"/></g>`;

const star = 'M50 20l8.500 18 19.500 2.500-14.500 13.500 4 19.500L50 64l-17.500 9.500 4-19.500L22 40.500 41.500 38Z';
const joker = `<circle cx="50" cy="50" r="48" fill="#ffd97a" opacity=".18"/>${ground('#7c121f', '#f0c878')}
  <rect x="25" y="11" width="50" height="76" rx="5" fill="none" stroke="#f0c878" stroke-width="1.600"/>
  <path d="${star}" fill="#f7dc9d" stroke="#8f5c14" stroke-width="2" stroke-linejoin="round"/><path d="M50 20 41.500 38 22 40.500 50 50Z" fill="#fff6d8"/>`;

export const CARDS = [
  joker,
  card('A', 'spade'),
  card('K', 'heart', crown('#f0bd55', 14)),
  card('Q', 'club', crown('#e8c987', 8)),
  card('J', 'diamond', crown('#c9b5a0', 2)),
  card('10', 'heart'),
  card('9', 'club'),
];

const spots = {
  1: [[50, 47]],
  2: [
    [34, 31],
    [66, 63],
  ],
  3: [
    [33, 30],
    [50, 47],
    [67, 64],
  ],
  4: [
    [34, 31],
    [66, 31],
    [34, 63],
    [66, 63],
  ],
  5: [
    [33, 30],
    [67, 30],
    [50, 47],
    [33, 64],
    [67, 64],
  ],
  6: [
    [34, 27],
    [66, 27],
    [34, 47],
    [66, 47],
    [34, 67],
    [66, 67],
  ],
};
const body = (fill, light, dark) =>
  `<path d="M12 24A14 14 0 0 1 26 10H74A14 14 0 0 1 88 24V78A14 14 0 0 1 74 92H26A14 14 0 0 1 12 78Z" fill="${dark}"/><rect x="12" y="9" width="76" height="76" rx="14" fill="${fill}"/><path d="M12 62V23A14 14 0 0 1 26 9H70C34 16 16 34 12 62Z" fill="${light}" opacity=".6"/>`;
/** A die that shows `count`; a single spot is large, as it is in the East. */
const die = (count, [fill, light, dark], spot) =>
  body(fill, light, dark) +
  spots[count]
    .map(
      ([x, y]) =>
        `<circle cx="${x}" cy="${y + 1.5}" r="${count === 1 ? 16 : 8.5}" fill="#000" opacity=".25"/><circle cx="${x}" cy="${y}" r="${count === 1 ? 16 : 8.5}" fill="${spot}"/>`,
    )
    .join('');

const luckyDie = `<circle cx="50" cy="50" r="48" fill="#ffd97a" opacity=".18"/>${body('#e6b860', '#fff3c4', '#8f5c14')}
  <path d="${star}" transform="translate(5 1) scale(.9)" fill="#fff8ea" stroke="#8f5c14" stroke-width="2.500" stroke-linejoin="round"/>`;
const IVORY = ['#f8eedf', '#ffffff', '#bda48f'];

export const DICE = [
  luckyDie,
  die(6, ['#b81f2d', '#ef6a62', '#6d0f1c'], '#fff8ea'),
  die(5, ['#1f8a72', '#6fd6b4', '#0d4f42'], '#fff8ea'),
  die(4, IVORY, RED),
  die(3, ['#6a3f8a', '#b48fd0', '#3a1f50'], '#fff8ea'),
  die(2, ['#2f6f9f', '#86bfe4', '#173f5e'], '#fff8ea'),
  die(1, IVORY, RED),
];
