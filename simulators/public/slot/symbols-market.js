/** Symbols of an evening on the canal, rarest first, each in a square of 100. */
const petal = (turn, fill) =>
  `<path d="M50 22C63 40 63 62 50 80 37 62 37 40 50 22Z" fill="${fill}" transform="rotate(${turn} 50 82)"/>`;
const leaf = (x, y, turn, fill, vein) =>
  `<g transform="translate(${x} ${y}) rotate(${turn})"><path d="M0 0C13-9 17-27 0-46-17-27-13-9 0 0Z" fill="${fill}"/><path d="M0-2V-38M0-12l7-6M0-12l-7-6M0-23l6-5M0-23l-6-5" stroke="${vein}" stroke-width="1.8" fill="none" stroke-linecap="round"/></g>`;

const lantern = `
  <defs><radialGradient id="m-glow" cx=".5" cy=".52" r=".5"><stop offset="0" stop-color="#fff1b8"/><stop offset=".45" stop-color="#ffb648"/><stop offset="1" stop-color="#d8352a"/></radialGradient></defs>
  <circle cx="50" cy="50" r="47" fill="#ffb648" opacity=".16"/>
  <path d="M50 4v12" stroke="#f5cf7c" stroke-width="3" stroke-linecap="round"/>
  <path d="M34 18h32l5 8H29Z" fill="#f5cf7c"/><path d="M34 18h32l2.500 4h-37Z" fill="#ffe9ad"/>
  <path d="M29 26C12 38 12 62 29 74H71C88 62 88 38 71 26Z" fill="url(#m-glow)"/>
  <path d="M42 26C31 40 31 60 42 74M58 26C69 40 69 60 58 74M50 26V74" stroke="#a81d22" stroke-width="2" fill="none" opacity=".55"/>
  <path d="M29 74h42l-5 8H34Z" fill="#f5cf7c"/>
  <path d="M42 82v12M50 82v16M58 82v12" stroke="#e04a34" stroke-width="3" stroke-linecap="round"/>
  <path d="M50 34l4.700 9.800 10.800 1.400-7.900 7.400 2 10.700L50 58l-9.600 5.300 2-10.700-7.900-7.400 10.800-1.400Z" fill="#fffbe6" stroke="#b3541e" stroke-width="1.500" stroke-linejoin="round"/>`;

const boat = `
  <path d="M4 80c10-5 16 5 26 0s16 5 26 0 16 5 26 0 10 3 14 2" stroke="#4aa7b5" stroke-width="4" fill="none" stroke-linecap="round"/>
  <path d="M16 90c9-4 14 4 23 0s14 4 23 0 12 2 18 1" stroke="#2f7f92" stroke-width="3" fill="none" stroke-linecap="round"/>
  <circle cx="30" cy="55" r="8" fill="#f2a93b"/><circle cx="41" cy="52" r="8" fill="#e0563c"/><circle cx="36" cy="46" r="7" fill="#8fbf4d"/>
  <path d="M48 60C48 34 58 24 68 24S86 34 86 58Z" fill="#c98f4a"/>
  <path d="M51 46l34-1M54 36l28-1M58 60C58 42 62 28 68 24M77 59C77 42 74 30 68 24" stroke="#8a5727" stroke-width="2" fill="none"/>
  <path d="M4 50C14 62 84 66 97 44 96 66 86 80 70 81H30C16 80 8 68 4 50Z" fill="#8c4a2a"/>
  <path d="M4 50C14 62 84 66 97 44L95 53C80 70 20 68 6 57Z" fill="#c2733f"/>
  <path d="M16 68C34 76 66 76 84 67" stroke="#5f2f1a" stroke-width="2.500" fill="none" stroke-linecap="round"/>`;

const lotus = `
  <path d="M10 80C24 70 76 70 90 80 78 92 22 92 10 80Z" fill="#2f8a5f"/><path d="M10 80C24 74 76 74 90 80 76 84 24 84 10 80Z" fill="#55b57c"/>
  ${petal(-62, '#c9487f')}${petal(62, '#c9487f')}${petal(-36, '#e272a0')}${petal(36, '#e272a0')}${petal(-15, '#f09bbd')}${petal(15, '#f09bbd')}
  <path d="M50 24C61 42 61 64 50 80 39 64 39 42 50 24Z" fill="#ffd0e0"/>
  <path d="M50 30v40M45 46c0 10 2 18 5 26M55 46c0 10-2 18-5 26" stroke="#e88fb2" stroke-width="1.600" fill="none" stroke-linecap="round"/>`;

const mango = `
  <path d="M34 26C52 6 90 22 88 56 86 84 54 96 32 82 12 68 16 44 34 26Z" fill="#f2a62e"/>
  <path d="M34 26C52 6 90 22 88 56 87 68 80 78 70 84 82 58 66 26 34 26Z" fill="#e0702a" opacity=".75"/>
  <path d="M27 46C22 58 26 70 36 76" stroke="#ffe08a" stroke-width="6" fill="none" stroke-linecap="round"/>
  <path d="M36 26C34 18 37 12 42 8" stroke="#6b4524" stroke-width="4" fill="none" stroke-linecap="round"/>
  <path d="M41 12C52 0 72 2 80 12 66 20 52 20 41 12Z" fill="#3f9a55"/><path d="M44 12c10-2 22-2 32 0" stroke="#276b3a" stroke-width="1.800" fill="none"/>`;

const coconut = `
  <path d="M10 46a40 40 0 0 0 80 0Z" fill="#5b3a24"/>
  <path d="M18 62l8 6M30 74l7 6M66 79l8-6M78 66l6-5M48 78h8M40 64l6 4M62 64l7-3" stroke="#8c6240" stroke-width="2.600" stroke-linecap="round"/>
  <ellipse cx="50" cy="46" rx="40" ry="15" fill="#8c6240"/><ellipse cx="50" cy="46" rx="36" ry="12.500" fill="#fffaf0"/><ellipse cx="50" cy="47.500" rx="26" ry="8" fill="#d9ecec"/>
  <path d="M58 46 72 8" stroke="#e0563c" stroke-width="5" stroke-linecap="round"/><path d="M64 30l4.500-12.500" stroke="#fff" stroke-width="5" opacity=".8"/>
  <g fill="#f09bbd"><circle cx="30" cy="34" r="6"/><circle cx="22" cy="40" r="6"/><circle cx="25" cy="49" r="6"/><circle cx="35" cy="49" r="6"/><circle cx="38" cy="40" r="6"/></g><circle cx="30" cy="42" r="5" fill="#ffd97a"/>`;

const chilli = `
  <path d="M28 30C40 22 50 34 58 48 66 62 78 66 92 68 84 86 56 90 38 70 26 56 22 42 28 30Z" fill="#d3262c"/>
  <path d="M28 30C34 26 40 28 45 32 36 46 52 74 84 76 70 86 52 84 38 70 26 56 22 42 28 30Z" fill="#a3141f"/>
  <path d="M46 38C52 50 60 62 74 68" stroke="#ff8f7a" stroke-width="4.500" fill="none" stroke-linecap="round"/>
  <path d="M20 34C20 22 34 16 44 26 42 34 34 30 28 36 26 38 22 38 20 34Z" fill="#4fa35a"/><path d="M30 24C28 16 22 12 16 12" stroke="#3b8247" stroke-width="5" fill="none" stroke-linecap="round"/>`;

const basil = `
  <path d="M50 94C50 76 50 66 50 50" stroke="#7a5a86" stroke-width="4" fill="none" stroke-linecap="round"/>
  ${leaf(48, 78, -72, '#2f7f4c', '#8fd19e')}${leaf(52, 78, 72, '#2f7f4c', '#8fd19e')}${leaf(48, 62, -38, '#3c9a5c', '#a8e0b2')}${leaf(52, 62, 38, '#3c9a5c', '#a8e0b2')}${leaf(50, 54, 0, '#54b872', '#c9f0cf')}`;

export const MARKET = [lantern, boat, lotus, mango, coconut, chilli, basil];
