/** Symbols of the rocket festival, rarest first, each in a square of 100, lit from the upper left. */
const rocket = `
  <circle cx="50" cy="50" r="48" fill="#ffd97a" opacity=".18"/>
  <g transform="rotate(38 50 50)"><path d="M50 70C60 80 58 90 50 104 42 90 40 80 50 70Z" fill="#f2702a"/><path d="M50 72c5 6 4 12 0 20-4-8-5-14 0-20Z" fill="#ffe9a8"/>
  <path d="M36 58 20 78l18-4ZM64 58l16 20-18-4Z" fill="#1f7a6c"/><path d="M50-6C64 6 66 24 64 44L62 74H38L36 44C34 24 36 6 50-6Z" fill="#a51f2b"/><path d="M50-6C36 6 34 24 36 44l2 30h8C44 46 46 18 50-6Z" fill="#e2574f"/>
  <path d="M36 30q14 6 28 0v8q-14 6-28 0ZM37 54q13 6 26 0v8q-13 6-26 0Z" fill="#ffd97a"/><path d="M50 8l5 8-5 8-5-8Z" fill="#ffe9a8"/><path d="M50-6c4 3 7 7 9 11H41c2-4 5-8 9-11Z" fill="#f0bd55"/></g>`;

const toad = `
  <path d="M28 20 34 4l10 12 6-14 6 14L66 4l6 16Z" fill="#f0bd55" stroke="#8f5c14" stroke-width="2" stroke-linejoin="round"/><circle cx="50" cy="15" r="3" fill="#c1272d"/>
  <path d="M10 62C6 36 24 20 50 20S94 36 90 62C94 84 76 96 50 96S6 84 10 62Z" fill="#2f6b34"/><path d="M10 62C6 36 24 20 50 20c10 0 18 2 25 6C48 30 28 52 26 88 14 82 8 74 10 62Z" fill="#66a84a"/>
  <path d="M22 66C32 58 68 58 78 66 80 84 66 92 50 92S20 84 22 66Z" fill="#f1ecc4"/><path d="M24 66C36 74 64 74 76 66" stroke="#3a2a12" stroke-width="3.500" fill="none" stroke-linecap="round"/>
  <circle cx="28" cy="36" r="12" fill="#f7dc6a"/><circle cx="72" cy="36" r="12" fill="#f7dc6a"/><ellipse cx="28" cy="36" rx="8" ry="4.500" fill="#23121f"/><ellipse cx="72" cy="36" rx="8" ry="4.500" fill="#23121f"/><circle cx="25" cy="34.500" r="1.600" fill="#fff"/><circle cx="69" cy="34.500" r="1.600" fill="#fff"/>
  <circle cx="44" cy="50" r="2" fill="#1c4a24"/><circle cx="56" cy="50" r="2" fill="#1c4a24"/><path d="M84 50h.1M80 74h.1M16 52h.1M88 64h.1" stroke="#1c4a24" stroke-width="6" stroke-linecap="round"/>`;

const pipe = (x, top, light) =>
  `<path d="M${x} ${top}V96" stroke="#8a5a1a" stroke-width="8" stroke-linecap="round"/><path d="M${x - 1.5} ${top}V96" stroke="${light}" stroke-width="4" stroke-linecap="round"/>`;
const khaen = `
  <g transform="rotate(14 50 50)">${pipe(26, 26, '#f0cf8a')}${pipe(36, 14, '#e3b865')}${pipe(46, 4, '#f0cf8a')}${pipe(56, 4, '#e3b865')}${pipe(66, 14, '#f0cf8a')}${pipe(76, 26, '#d9a850')}
  <path d="M14 56C20 46 80 46 88 56c4 8 0 16-4 18-20 6-48 6-66 0-6-4-8-12-4-18Z" fill="#5c3410"/><path d="M14 56C20 46 60 46 72 50 46 52 28 60 20 75c-8-4-10-12-6-19Z" fill="#a0662a"/><ellipse cx="51" cy="62" rx="9" ry="6" fill="#23121f"/>
  <path d="M20 34h62M20 88h62" stroke="#c1272d" stroke-width="5" stroke-linecap="round"/></g>`;

const mortar = `
  <path d="M66 40 88 4" stroke="#6b4a1c" stroke-width="13" stroke-linecap="round"/><path d="M65 36 85 5" stroke="#b98a4a" stroke-width="6" stroke-linecap="round"/>
  <ellipse cx="48" cy="42" rx="38" ry="14" fill="#6d3a1c"/><path d="M22 38c8-8 16-4 20-10 6 6 14 0 20 6 4 4 8 4 10 6-12 8-38 8-50-2Z" fill="#a5cf5a"/><path d="M32 36l14-4M44 40l16-6" stroke="#e8f5b8" stroke-width="3" stroke-linecap="round"/><path d="M36 30c6 0 10 4 12 10" stroke="#d9303c" stroke-width="5" stroke-linecap="round" fill="none"/><circle cx="60" cy="36" r="5.500" fill="#e2453c"/>
  <path d="M10 42c10 14 66 14 76 0 0 26-12 42-22 46v6H32v-6C22 84 10 68 10 42Z" fill="#8a4a24"/><path d="M10 42c6 8 24 11 40 10-18 8-20 28-14 42h-4v-6C22 84 10 68 10 42Z" fill="#c97a44"/><path d="M20 66q28 12 56 0" stroke="#5c2c10" stroke-width="3.500" fill="none"/>`;

const kratip = `
  <path d="M22 40C14 10 86 10 78 40" fill="none" stroke="#8a5a1a" stroke-width="4"/><path d="M20 40C20 26 80 26 80 40v8H20Z" fill="#b9853a"/><path d="M20 40C20 30 44 27 60 30 44 32 36 38 34 48H20Z" fill="#ecc97c"/>
  <path d="M24 50h52l-5 38c-12 6-30 6-42 0Z" fill="#c9974a"/><path d="M24 50h24L42 92c-5 0-9-2-13-4Z" fill="#f3d795"/><path d="M25 58q25 8 50 0M27 68q23 8 46 0M28 78q22 8 44 0" stroke="#8a5a1a" stroke-width="2.500" fill="none"/><path d="M34 50v40M50 50v42M66 50v40" stroke="#8a5a1a" stroke-width="2" opacity=".55"/>
  <path d="M18 46h64v7H18Z" fill="#a51f2b"/><path d="M22 49.500h60" stroke="#ffd97a" stroke-width="2.500" stroke-dasharray="5 5"/><path d="M30 92h40l4 6H26Z" fill="#6d4310"/>`;

const drop = (x, y) => `<path d="M${x} ${y}c5 7 6 11 0 14-6-3-5-7 0-14Z" fill="#7fd0f0"/>`;
const rain = `
  <path d="M24 64C8 64 2 50 10 40 8 26 24 20 32 26 40 8 68 10 70 28 86 24 98 36 92 50 94 60 84 66 76 64Z" fill="#5d7ca8"/><path d="M24 64C8 64 2 50 10 40 8 26 24 20 32 26 38 12 56 10 64 18 48 24 34 40 38 64Z" fill="#b9d0ec"/>
  ${drop(22, 70)}${drop(40, 80)}${drop(60, 70)}${drop(78, 80)}<path d="M52 44 42 62h10l-5 16 16-22H52l6-12Z" fill="#ffd97a" stroke="#a8741c" stroke-width="1.600" stroke-linejoin="round"/>`;

const chilli = `
  <path d="M58 22C84 30 78 70 30 96 26 98 22 94 26 90 46 68 46 46 44 30Z" fill="#a5141f"/><path d="M52 24C58 46 50 72 26 90 46 68 46 46 44 30Z" fill="#ef5a52"/>
  <path d="M34 24C48 20 38 60 8 72 4 74 2 70 5 67 20 54 22 40 22 30Z" fill="#b81f2d"/><path d="M30 25C32 42 24 58 5 67 20 54 22 40 22 30Z" fill="#ff857a"/>
  <path d="M40 30C38 20 50 14 62 22 60 32 48 36 40 30ZM18 30C18 22 28 18 38 24 34 32 24 34 18 30Z" fill="#3d8a4e"/><path d="M52 20C54 12 60 6 68 4M28 22C30 14 34 10 40 8" stroke="#3d8a4e" stroke-width="5" stroke-linecap="round" fill="none"/>`;

export const ROCKET = [rocket, toad, khaen, mortar, kratip, rain, chilli];
