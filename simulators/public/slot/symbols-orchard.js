/** Symbols of the golden orchard, rarest first, each in a square of 100, lit from the upper left. */
const stem = (x, y) => `<path d="M${x} ${y}V${y - 14}" stroke="#6b4a1c" stroke-width="6" stroke-linecap="round"/>`;
const leaf = (x, y, turn, size = 1) =>
  `<g transform="translate(${x} ${y}) rotate(${turn}) scale(${size})"><path d="M0 0C8-14 26-16 36-6 28 8 10 10 0 0Z" fill="#2e7d46"/><path d="M0 0C8-14 26-16 36-6 24-6 12-4 0 0Z" fill="#62b96c"/></g>`;

const thorns = [];
for (let row = 0; row < 6; row += 1)
  for (let column = 0; column < 6; column += 1) {
    const [x, y] = [18 + column * 13 + (row % 2) * 6, 32 + row * 11];
    if ((x - 51) ** 2 / 1500 + (y - 59) ** 2 / 1080 < 0.86) thorns.push(`M${x - 6} ${y + 5}l6-11 6 11Z`);
  }
const durian = `
  <circle cx="50" cy="52" r="48" fill="#ffe29a" opacity=".18"/>${stem(51, 24)}<path d="M43 8h16v6H43Z" fill="#8a6428"/>
  <path d="M50 20 58 14 64 22 74 18 78 28 88 30 87 41 96 47 91 57 97 66 89 73 90 84 79 86 74 96 63 92 52 98 41 93 30 96 25 87 13 85 14 74 5 68 11 58 5 48 14 42 13 31 23 29 27 19 37 23Z" fill="#8a7a1c"/>
  <ellipse cx="50" cy="58" rx="38" ry="34" fill="#c2ac34"/><path d="M50 24C28 24 12 40 12 58c0 8 3 15 8 20C22 54 38 36 66 27c-5-2-10-3-16-3Z" fill="#e3d05c"/>
  <path d="${thorns.join('')}" fill="#756612"/><path d="M40 52C52 44 70 50 74 62 76 76 64 84 54 82 42 80 34 64 40 52Z" fill="#fff0b0"/><path d="M46 56c8-5 19-2 22 6 1 8-6 14-13 13-8-2-13-12-9-19Z" fill="#ffd14a"/>`;

const mangosteen = `
  <circle cx="50" cy="60" r="38" fill="#3f1030"/><path d="M50 22A38 38 0 0 0 20 84C30 60 46 40 78 34A38 38 0 0 0 50 22Z" fill="#7d2a5c"/><path d="M22 52c2-9 7-15 14-18" stroke="#d58ab4" stroke-width="6" stroke-linecap="round" fill="none"/>
  <path d="M50 30C34 34 22 28 18 18 30 10 44 14 50 26 56 14 70 10 82 18 78 28 66 34 50 30Z" fill="#3d8a4e"/><path d="M50 30C34 34 22 28 18 18c12-2 24 2 32 12Z" fill="#7cc27e"/><path d="M50 28V10" stroke="#6b4a1c" stroke-width="7" stroke-linecap="round"/>`;

const mango = `
  ${leaf(48, 18, -24)}<path d="M46 20C44 12 46 8 50 4" stroke="#6b4a1c" stroke-width="5" stroke-linecap="round" fill="none"/>
  <path d="M44 18C70 14 96 38 92 66 88 92 58 100 36 90 14 80 8 62 14 44 20 28 30 20 44 18Z" fill="#d98a1a"/><path d="M44 18C62 16 78 26 86 40 60 34 36 56 36 90 14 80 8 62 14 44 20 28 30 20 44 18Z" fill="#ffc83d"/>
  <path d="M60 22c18 5 32 24 32 44-1 10-6 17-13 22C86 62 78 38 60 22Z" fill="#c1442a" opacity=".75"/><path d="M22 52c3-10 8-17 17-21" stroke="#fff0b0" stroke-width="7" stroke-linecap="round" fill="none"/>`;

const scales = [
  [26, 40, -40],
  [20, 60, -62],
  [30, 80, -20],
  [74, 40, 40],
  [80, 60, 62],
  [70, 80, 20],
  [50, 30, 0],
]
  .map(
    ([x, y, turn]) =>
      `<path d="M-7 6C-6-6 0-16 6-22 8-12 8-2 5 8Z" fill="#5fae4e" transform="translate(${x} ${y}) rotate(${turn})"/>`,
  )
  .join('');
const dragon = `
  ${scales}<ellipse cx="50" cy="60" rx="34" ry="36" fill="#a5144f"/><path d="M50 24C30 24 16 40 16 60c0 10 3 18 9 25C26 60 42 40 72 33c-6-6-13-9-22-9Z" fill="#e8457f"/>
  <ellipse cx="54" cy="62" rx="24" ry="26" fill="#fff6f2"/><path d="M46 48h.1M58 46h.1M66 56h.1M52 58h.1M42 62h.1M60 68h.1M48 74h.1M68 70h.1M56 80h.1M40 72h.1M64 80h.1" stroke="#2a1420" stroke-width="4.500" stroke-linecap="round"/>`;

const spikes = [-44, -22, 0, 22, 44]
  .map(
    (turn) =>
      `<path d="M0 0C-8-12-6-26 0-38 6-26 8-12 0 0Z" fill="${turn < 0 ? '#62b96c' : '#2e7d46'}" transform="translate(50 38) rotate(${turn})"/>`,
  )
  .join('');
const pineapple = `
  ${spikes}<path d="M50 34C74 34 80 52 78 68 76 88 66 98 50 98S24 88 22 68C20 52 26 34 50 34Z" fill="#b9741a"/><path d="M50 34C26 34 20 52 22 68c1 9 4 16 8 21C32 66 44 46 68 37c-5-2-11-3-18-3Z" fill="#f0b23c"/>
  <path d="M28 46 62 96M24 62 48 98M38 36 76 82M54 34 78 66M72 46 38 96M76 62 52 98M62 36 24 82M46 34 22 66" stroke="#7d4a0c" stroke-width="2.600" opacity=".8"/>`;

const melon = `
  <path d="M4 34A52 52 0 0 0 96 34Z" fill="#1f6a3a" transform="translate(0 4)"/><path d="M10 36A46 46 0 0 0 90 36Z" fill="#e9f5d0" transform="translate(0 4)"/><path d="M16 38A40 40 0 0 0 84 38Z" fill="#d9303c" transform="translate(0 4)"/>
  <path d="M16 42A40 40 0 0 0 34 72C36 58 44 48 60 42Z" fill="#f4636a"/><path d="M34 54l-2 5M50 52v6M66 54l2 5M42 66l-1 5M58 66l1 5" stroke="#2a1014" stroke-width="5" stroke-linecap="round"/>`;

const coconut = `
  <path d="M62 32 84 2" stroke="#e2574f" stroke-width="6" stroke-linecap="round"/><path d="M64 30 74 16" stroke="#fff" stroke-width="2.500" stroke-linecap="round"/>
  <path d="M10 44C10 74 28 96 50 96S90 74 90 44Z" fill="#2f7d3c"/><path d="M10 44C10 70 22 88 38 94 34 70 44 54 66 44Z" fill="#66b556"/>
  <ellipse cx="50" cy="42" rx="40" ry="15" fill="#c7dfa0"/><ellipse cx="50" cy="41" rx="31" ry="11" fill="#fffdf4"/><ellipse cx="50" cy="43" rx="24" ry="7.500" fill="#cfe8ea"/>
  <g transform="translate(22 34)"><path d="M0 0C-10-2-14-10-10-18-2-16 2-8 0 0ZM0 0C-4-10 0-18 8-20 12-12 8-4 0 0ZM0 0C6-8 14-10 20-6 18 2 8 4 0 0Z" fill="#ef9ab4"/><circle r="4" fill="#ffd97a"/></g>`;

export const ORCHARD = [durian, mangosteen, mango, dragon, pineapple, melon, coconut];
