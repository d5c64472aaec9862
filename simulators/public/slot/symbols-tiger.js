/** Symbols of the golden tiger, rarest first, each in a square of 100, lit from the upper left. */
const stripes = (colour) =>
  `<path d="M50 14v17M40 16l3 12M60 16l-3 12M12 46l13 6M13 60l12 1M88 46l-13 6M87 60l-12 1" stroke="${colour}" stroke-width="5" stroke-linecap="round" fill="none"/>`;

const tiger = `
  <circle cx="50" cy="50" r="47" fill="#ffd97a" opacity=".16"/>
  <path d="M12 40C4 18 16 6 32 10 42 6 58 6 68 10 84 6 96 18 88 40 94 72 76 92 50 92S6 72 12 40Z" fill="#d2742a"/>
  <path d="M12 40C4 18 16 6 32 10 42 6 50 7 50 7V92C24 92 6 72 12 40Z" fill="#ee9a3c"/>
  <path d="M16 30C13 20 19 14 28 16ZM84 30C87 20 81 14 72 16Z" fill="#7c2a1a"/>
  <path d="M28 66C30 52 70 52 72 66 76 84 64 90 50 90S24 84 28 66Z" fill="#fff3dc"/>
  ${stripes('#3a1a24')}
  <path d="M24 44l19 6-14 9ZM76 44l-19 6 14 9Z" fill="#ffe29a" stroke="#3a1a24" stroke-width="3" stroke-linejoin="round"/><circle cx="33" cy="51" r="3" fill="#3a1a24"/><circle cx="67" cy="51" r="3" fill="#3a1a24"/>
  <path d="M41 66H59L50 75Z" fill="#3a1a24"/><path d="M50 75v5M37 80c4 6 22 6 26 0" stroke="#3a1a24" stroke-width="3.500" stroke-linecap="round" fill="none"/>`;

const ingot = `
  <path d="M4 44C20 60 34 40 50 40S80 60 96 44C96 70 84 88 66 88H34C16 88 4 70 4 44Z" fill="#c98a26"/>
  <path d="M4 44C20 60 34 40 50 40S80 60 96 44C94 60 76 70 50 70S6 60 4 44Z" fill="#f0bd55"/>
  <ellipse cx="50" cy="40" rx="25" ry="23" fill="#ffe29a"/><path d="M27 46C30 22 44 18 52 19 38 26 33 40 36 60 31 57 28 52 27 46Z" fill="#fff6d8"/>
  <path d="M26 80h48" stroke="#8f5c14" stroke-width="4" stroke-linecap="round"/>`;

const cracker = (x, y, turn) =>
  `<g transform="translate(${x} ${y}) rotate(${turn})"><rect x="-7" y="0" width="14" height="27" rx="3" fill="#c1272d"/><rect x="-7" y="0" width="5" height="27" rx="2.500" fill="#ef5a52"/><path d="M-7 5H7M-7 22H7" stroke="#ffd97a" stroke-width="3.500"/></g>`;
const crackers = `
  <path d="M50 6V84" stroke="#ffd97a" stroke-width="3.500" stroke-linecap="round"/>
  <path d="M50 2l3 7 8 1-6 5 2 7-7-4-7 4 2-7-6-5 8-1Z" fill="#ffe29a"/>
  ${cracker(47, 20, 42)}${cracker(53, 20, -42)}${cracker(47, 42, 42)}${cracker(53, 42, -42)}${cracker(47, 62, 30)}${cracker(53, 62, -30)}
  <path d="M50 82v16M44 84l-3 10M56 84l3 10" stroke="#e2574f" stroke-width="3.500" stroke-linecap="round"/>`;

const spoke = (turn) => `<path d="M50 86V20" transform="rotate(${turn} 50 86)"/>`;
const fan = `
  <path d="M50 88 2 50A62 62 0 0 1 98 50Z" fill="#1f8a72"/><path d="M50 88 2 50A62 62 0 0 1 50 26Z" fill="#2fae8e"/>
  <path d="M10 54A52 52 0 0 1 90 54" stroke="#f7dc9d" stroke-width="4" fill="none"/>
  <g stroke="#0d4f42" stroke-width="2.600">${[-44, -27, -9, 9, 27, 44].map(spoke).join('')}</g>
  <path d="M50 88 36 77A18 18 0 0 1 64 77Z" fill="#f0bd55"/><circle cx="50" cy="86" r="5" fill="#8f5c14"/>
  <path d="M50 90v8" stroke="#c1272d" stroke-width="5" stroke-linecap="round"/>`;

const orange = `
  <circle cx="50" cy="57" r="38" fill="#dd6f17"/><path d="M50 19A38 38 0 0 0 26 86.500C44 92 72 66 50 19Z" fill="#f7952f"/>
  <path d="M26 46C29 38 34 34 40 32" stroke="#ffd9a0" stroke-width="7" stroke-linecap="round" fill="none"/>
  <path d="M50 24C50 14 54 8 60 4" stroke="#5c3d1d" stroke-width="5" stroke-linecap="round" fill="none"/>
  <path d="M54 16C66 2 86 6 94 18 80 28 62 28 54 16Z" fill="#3f9a55"/><path d="M12 22C22 8 40 10 48 20 38 30 22 32 12 22Z" fill="#55b86a"/>`;

const coin = `
  <circle cx="50" cy="50" r="43" fill="#a86f22"/><circle cx="50" cy="48" r="42" fill="#e3aa43"/>
  <path d="M50 6A42 42 0 0 0 19 76C30 50 52 30 80 18A42 42 0 0 0 50 6Z" fill="#f6cf78"/>
  <circle cx="50" cy="48" r="33" fill="none" stroke="#8f5c14" stroke-width="3.500"/>
  <rect x="37" y="35" width="26" height="26" rx="2" fill="#3a1420" stroke="#8f5c14" stroke-width="4"/>
  <path d="M50 20v8M50 68v8M22 48h8M70 48h8" stroke="#8f5c14" stroke-width="6" stroke-linecap="round"/>`;

const knot = `
  <path d="M50 4v10M50 74v22M42 78l-4 16M58 78l4 16" stroke="#e2574f" stroke-width="4.500" stroke-linecap="round"/>
  <g fill="none" stroke-width="8"><rect x="28" y="22" width="44" height="44" rx="13" transform="rotate(45 50 44)" stroke="#a51f2b"/>
  <path d="M28 44a11 11 0 1 1 11-11L61 55a11 11 0 1 1-11 11M72 44a11 11 0 1 0-11-11L39 55a11 11 0 1 0 11 11" stroke="#d6353c"/></g>
  <circle cx="50" cy="44" r="8" fill="#1f8a72"/><circle cx="47" cy="41" r="3" fill="#a0f0c8"/>`;

export const TIGER = [tiger, ingot, crackers, fan, orange, coin, knot];
