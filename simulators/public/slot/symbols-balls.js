/** Balls of the draw, rarest first, each in a square of 100, lit from the upper left. */
const ball = (inner, [fill, light, dark]) =>
  `<circle cx="50" cy="51" r="43" fill="${dark}"/><circle cx="49" cy="49" r="41" fill="${fill}"/><path d="M49 8A41 41 0 0 0 17 75C18 46 40 20 76 18A41 41 0 0 0 49 8Z" fill="${light}" opacity=".55"/>
  <circle cx="51" cy="52" r="24" fill="#fff8ea"/><circle cx="51" cy="52" r="24" fill="none" stroke="${dark}" stroke-width="2.500"/>${inner}<ellipse cx="33" cy="25" rx="8" ry="5" fill="#fff" opacity=".8" transform="rotate(-38 33 25)"/>`;
const number = (text) =>
  `<text x="51" y="53" font-size="34" font-weight="800" fill="#23121f" text-anchor="middle" dominant-baseline="central">${text}</text>`;
const star = `<path d="M51 34l5.400 11.400 12.600 1.600-9.200 8.700 2.400 12.300L51 62l-11.200 6 2.400-12.300L33 47l12.600-1.600Z" fill="#c98a26" stroke="#8f5c14" stroke-width="1.500" stroke-linejoin="round"/>`;

export const BALLS = [
  `<circle cx="50" cy="50" r="49" fill="#ffd97a" opacity=".2"/>${ball(star, ['#e6b860', '#fff3c4', '#8f5c14'])}`,
  ball(number(9), ['#c1272d', '#ff9a8f', '#6d0f1c']),
  ball(number(8), ['#1f8a72', '#8fe6c8', '#0d4f42']),
  ball(number(7), ['#7444bc', '#cdb0f5', '#3a1a6e']),
  ball(number(5), ['#2f6f9f', '#a0d0f0', '#173f5e']),
  ball(number(3), ['#dd6f17', '#ffc48a', '#8a3f08']),
  ball(number(1), ['#5c6b3a', '#c4d49a', '#333d1c']),
];
