const SHAPES = {
  shield: 'M4 5q16-5 32 0v17q0 14-16 21Q4 36 4 22z',
  round: 'M20 3a19 19 0 1 1 0 38 19 19 0 0 1 0-38z',
  diamond: 'M20 1 38 22 20 43 2 22z',
  hexagon: 'M20 1 37 11v22L20 43 3 33V11z',
  tower: 'M4 4h32v25L20 43 4 29z',
  crest: 'M3 6q9 1 17-5 8 6 17 5v18q-1 13-17 19Q4 37 3 24z',
};

/** Behind the emblem, in the second colour. */
const PATTERNS = {
  plain: '',
  halves: 'M20 0h20v44H20z',
  stripes: 'M8 0h6v44H8zM17 0h6v44h-6zM26 0h6v44h-6z',
  hoops: 'M0 8h40v6H0zM0 20h40v6H0zM0 32h40v6H0z',
  sash: 'M-4 34 34-4l10 10L6 44z',
  chevron: 'M0 30 20 14l20 16v14L20 28 0 44z',
  quarters: 'M0 0h20v22H0zM20 22h20v22H20z',
  band: 'M0 15h40v14H0z',
};

const EMBLEMS = {
  boat: 'M8 24h24l-5 7H13zM19 10h2v12h-2zM22 11l8 10h-8zM18 14v7h-6z',
  tusk: 'M10 13c0 12 5 18 14 20-6-4-9-9-9-17 0-3-5-5-5-3zM30 13c0 12-5 18-14 20 6-4 9-9 9-17 0-3 5-5 5-3z',
  kite: 'M20 8l9 11-9 9-9-9zM19 28h2l2 4-3 3 2 4h-2l-2-4 3-3z',
  bolt: 'M23 8 11 24h8l-3 12 13-17h-8z',
  blades: 'M10 10l3-1 17 20-2 2zM30 10l-3-1-17 20 2 2zM8 27l6 6-2 2-6-6zM32 27l-6 6 2 2 6-6z',
  spark: 'M20 8l3 10 10 3-10 3-3 10-3-10-10-3 10-3z',
  beak: 'M9 16c9-8 22-4 23 8-6-3-11-3-14 0 2 2 2 5 0 8-6-3-10-9-9-16zm9 2a2 2 0 1 0 .1 0z',
  crystal: 'M20 8l9 7v12l-9 8-9-8V15zm0 4-5 4 5 4 5-4z',
  palm: 'M19 20h2v15h-2zM20 20c-2-7-9-8-12-4 5-1 8 1 12 4zM20 20c2-7 9-8 12-4-5-1-8 1-12 4zM20 19c-4-4-3-9 1-11 2 3 2 7-1 11zM20 21c-5 0-8 3-8 7 4 0 7-3 8-7zM20 21c5 0 8 3 8 7-4 0-7-3-8-7z',
  teeth: 'M6 14h28v5l-4 6-4-6-3 6-3-6-3 6-4-6-4 6-3-6zM9 33l4-6 4 6 3-6 3 6 4-6 4 6z',
  sun: 'M20 14a8 8 0 1 1 0 16 8 8 0 0 1 0-16zM19 6h2v6h-2zM19 32h2v6h-2zM5 21h6v2H5zM29 21h6v2h-6zM9 10l4 4-1 2-5-4zM31 10l-4 4 1 2 5-4zM9 34l4-4-1-2-5 4zM31 34l-4-4 1-2 5 4z',
  bell: 'M20 8c6 0 8 5 8 11 0 5 2 7 4 9H8c2-2 4-4 4-9 0-6 2-11 8-11zM16 30h8a4 4 0 0 1-8 0z',
  anchor:
    'M18 15h4v15c3-1 6-3 6-7l-3 1 4-6 4 6-2 0c0 7-6 11-11 12-5-1-11-5-11-12l-2 0 4-6 4 6-3-1c0 4 3 6 6 7zM20 7a4 4 0 1 1 0 8 4 4 0 0 1 0-8z',
  mountain: 'M5 32 16 12l6 11 4-6 9 15zM16 12l-4 7 4 2 3-4z',
  keep: 'M11 10h4v4h3v-4h4v4h3v-4h4v9l-2 2v13h-4v-7h-6v7h-4V21l-2-2z',
  vale: 'M6 12h8l6 14 6-14h8L23 35h-6z',
  tree: 'M20 7c7 0 11 5 10 11 3 5-1 10-7 9v8h-6v-8c-6 1-10-4-7-9C9 12 13 7 20 7z',
  crown: 'M8 14l6 6 6-10 6 10 6-6-2 15H10zM10 31h20v3H10z',
  rose: 'M20 9c4 0 6 4 4 7 4-1 8 2 7 6s-6 5-8 2c1 4-1 8-5 8s-6-5-3-8c-4 2-8-1-7-5s5-5 8-3c-2-3 0-7 4-7zm0 9a3.500 3.500 0 1 0 .1 0z',
  wave: 'M6 21c4-7 9-7 13-1 3 4 7 3 9-2l6 2c-4 9-12 10-17 4-4-4-6-3-8 0zM6 31c4-7 9-7 13-1 3 4 7 3 9-2l6 2c-4 9-12 10-17 4-4-4-6-3-8 0z',
  star: 'M20 7l4 10 11 1-8 7 2 11-9-6-9 6 2-11-8-7 11-1z',
  flame:
    'M21 6c2 6 10 10 9 19-1 7-6 11-11 11-6 0-10-4-10-10 0-5 4-8 5-12 2 1 3 3 3 6 3-4 4-8 4-14zM20 24c-4 3-4 8 0 9 4-1 4-6 0-9z',
  moon: 'M25 8a14 14 0 1 0 8 20A12 12 0 0 1 25 8zM29 14l1 3 3 1-3 1-1 3-1-3-3-1 3-1z',
  hammer: 'M10 10h20l2 5-2 5H22v16h-4V20h-8z',
};

/** Shape, ground, second colour, pattern, emblem and its colour. */
const DESIGNS = {
  wan: ['shield', '#7a1f2b', '#a83a3f', 'hoops', 'boat', '#ffe6b0'],
  kham: ['crest', '#26324e', '#374a75', 'halves', 'tusk', '#f3efe2'],
  phloi: ['diamond', '#4a8c2f', '#6fb04a', 'quarters', 'kite', '#fff7c9'],
  khao: ['hexagon', '#3c4a57', '#56697a', 'sash', 'bolt', '#ffd84a'],
  kaeo: ['tower', '#0e6b73', '#15909a', 'stripes', 'blades', '#ffffff'],
  nuan: ['round', '#1d1b3a', '#322f63', 'chevron', 'spark', '#e9f86a'],
  mok: ['shield', '#3b3331', '#574a45', 'band', 'beak', '#ffb52e'],
  ngoen: ['hexagon', '#2b6cb0', '#4b8fd6', 'plain', 'crystal', '#f4fbff'],
  saen: ['crest', '#c8641b', '#e08138', 'stripes', 'palm', '#fff3d6'],
  bueng: ['round', '#14532d', '#1f7a43', 'hoops', 'teeth', '#e8f5c8'],
  rung: ['diamond', '#c0261e', '#e04a35', 'plain', 'sun', '#ffd86b'],
  son: ['tower', '#5b3a1c', '#7b5128', 'halves', 'bell', '#ffcf70'],
  verrin: ['round', '#103c6b', '#1b569a', 'band', 'anchor', '#ffffff'],
  aldmoor: ['shield', '#5a2a6b', '#7b3f90', 'halves', 'mountain', '#f2e4ff'],
  casterby: ['tower', '#8c1d40', '#b52f5a', 'quarters', 'keep', '#ffe9ef'],
  torvale: ['hexagon', '#f0b429', '#ffd15c', 'sash', 'vale', '#3a2500'],
  linden: ['crest', '#2f6b3a', '#43904f', 'plain', 'tree', '#f0ffe8'],
  orlen: ['shield', '#1f2937', '#b91c1c', 'stripes', 'crown', '#ffd86b'],
  valmora: ['round', '#f3f4f6', '#dfe3ea', 'sash', 'rose', '#b3122e'],
  calvera: ['diamond', '#0284a8', '#12a5cd', 'hoops', 'wave', '#fdf6d8'],
  akanezu: ['round', '#d9381e', '#f05a3c', 'plain', 'star', '#fff5ec'],
  drachen: ['tower', '#2a3242', '#414d63', 'chevron', 'flame', '#ff7a2f'],
  luzera: ['crest', '#243b8f', '#3a57c4', 'quarters', 'moon', '#ffe78a'],
  norrham: ['hexagon', '#e8edf2', '#c9d6e2', 'stripes', 'hammer', '#1f3a5f'],
};

/** All badges as symbols `badge-ID`, drawn once. */
export function badgeSymbols() {
  const clips = Object.entries(SHAPES).map(([name, d]) => `<clipPath id="clip-${name}"><path d="${d}"/></clipPath>`);
  const symbols = Object.entries(DESIGNS).map(
    ([id, [shape, ground, second, pattern, emblem, light]]) => `<symbol id="badge-${id}" viewBox="-1 -1 42 46">
      <path d="${SHAPES[shape]}" fill="${ground}"/>
      <path d="${PATTERNS[pattern]}" fill="${second}" clip-path="url(#clip-${shape})"/>
      <path d="${EMBLEMS[emblem]}" fill="${light}" fill-rule="evenodd" transform="translate(20 22) scale(.8) translate(-20 -22)"/>
      <path d="${SHAPES[shape]}" fill="none" stroke="#0a1f18" stroke-opacity=".32" stroke-width="1.200"/>
    </symbol>`,
  );
  return `<defs>${clips.join('')}</defs>${symbols.join('')}`;
}

/** What the supporters of a team wear: two colours that show on a dark ground. */
export function fanColours(id) {
  const [, ground, second, , , light] = DESIGNS[id] ?? [];
  return [light === '#3a2500' || light === '#b3122e' || light === '#1f3a5f' ? ground : light, second];
}

/** The strongest colour of a team, for its bars and marks. */
export function colourOf(id) {
  const [, ground, second] = DESIGNS[id] ?? [];
  return ground === '#f3f4f6' ? '#b3122e' : ground === '#e8edf2' ? '#1f3a5f' : (ground ?? second ?? '#345');
}
