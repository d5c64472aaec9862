import { drawing } from './make.js';

const COLOURS = {
  ivory: ['#a98f7c', '#ead9c3', '#fff8ea'],
  jade: ['#0d4f42', '#1f8a72', '#7fe0c0'],
  gold: ['#7a5314', '#e6b860', '#fff3c4'],
  red: ['#5d0f1c', '#b81f2d', '#ef6a62'],
};

/** The six balls of a result by the colours of what they count for: below jade, on top red, the one in both gold. */
export const PLACES = ['ivory', 'ivory', 'jade', 'gold', 'red', 'red'];

/** The inside of a ball in a square of 100. */
export function ballShapes(digit, colour) {
  const [deep, body, light] = COLOURS[colour];
  return `<circle cx="50" cy="52" r="46" fill="${deep}"/><circle cx="49" cy="48" r="45" fill="${body}"/>
    <path d="M14 40A38 38 0 0 1 62 11C40 16 24 26 14 40Z" fill="${light}" opacity=".75"/>
    <circle cx="50" cy="50" r="27" fill="#fff8ea"/><circle cx="50" cy="50" r="27" fill="none" stroke="${deep}" stroke-opacity=".35" stroke-width="2"/>
    <text x="50" y="64" text-anchor="middle" font-size="40" font-weight="800" fill="#23121f">${digit}</text>`;
}

/** A ball with a digit; without one an empty place for it. */
export function ball(digit, colour) {
  return digit === undefined
    ? drawing(
        '0 0 100 100',
        '<circle cx="50" cy="50" r="44" fill="#000" fill-opacity=".28" stroke="#e6b860" stroke-opacity=".5" stroke-width="3" stroke-dasharray="7 9"/>',
        'ball empty',
      )
    : drawing('0 0 100 100', ballShapes(digit, colour), `ball ${colour}`);
}

/** The machine that the balls tumble in. */
export function drum() {
  const around = [
    [0, 34, 'red', 7, 2.1],
    [50, 20, 'gold', 2, 1.7],
    [100, 36, 'jade', 6, 2.6],
    [150, 12, 'ivory', 4, 1.3],
    [190, 33, 'gold', 1, 2.3],
    [235, 24, 'red', 9, 1.9],
    [280, 36, 'ivory', 8, 2.8],
    [320, 21, 'jade', 3, 1.5],
    [20, 8, 'red', 5, 1.1],
  ];
  const balls = around
    .map(
      ([turn, out, colour, digit], n) =>
        `<g class="tumble t${n}"><g transform="translate(80 78) rotate(${turn}) translate(${out} 0) rotate(${360 - turn}) translate(-11 -11) scale(.22)">${ballShapes(digit, colour)}</g></g>`,
    )
    .join('');
  return drawing(
    '0 0 160 176',
    `<path d="M40 130h80l14 34H26Z" fill="#5d0f1c"/><path d="M40 130h80l3 8H37Z" fill="#8f1f2c"/><path d="M20 164h120v8H20Z" fill="#8f6420"/><path d="M20 164h120v3H20Z" fill="#e6b860"/>
     <path d="M48 146h64M44 155h72" stroke="#e6b860" stroke-opacity=".5" stroke-width="1.500" stroke-dasharray="2 4"/>
     <circle cx="80" cy="78" r="62" fill="#2b1126"/><circle cx="80" cy="78" r="58" fill="#3b1733"/>
     ${balls}
     <path d="M34 60A52 52 0 0 1 84 24C62 30 46 42 34 60Z" fill="#fff" fill-opacity=".22"/>
     <circle cx="80" cy="78" r="60" fill="none" stroke="#8f6420" stroke-width="6"/><circle cx="80" cy="78" r="60" fill="none" stroke="#e6b860" stroke-width="2.500"/>
     <path d="M68 10h24l5 10H63Z" fill="#e6b860"/><path d="M80 2l5 8H75Z" fill="#f7dc9d"/><path d="M68 134h24v10H68Z" fill="#e6b860"/>`,
    'drum',
  );
}
