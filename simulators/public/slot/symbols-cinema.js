/** Symbols of the cinema under the stars, rarest first, each in a square of 100, lit from the upper left. */
const hole = (x, y, r) => `<circle cx="${x}" cy="${y}" r="${r}" fill="#10182e"/>`;
const spool = (x, y, r, light, dark) =>
  `<circle cx="${x}" cy="${y}" r="${r}" fill="${dark}"/><circle cx="${x - 1}" cy="${y - 1}" r="${r - 2}" fill="${light}"/>` +
  [0, 120, 240]
    .map((turn) => {
      const angle = (turn * Math.PI) / 180;
      return hole(+(x + Math.sin(angle) * r * 0.52).toFixed(1), +(y - Math.cos(angle) * r * 0.52).toFixed(1), r * 0.25);
    })
    .join('') +
  hole(x, y, r * 0.13);

const projector = `
  <circle cx="50" cy="50" r="48" fill="#ffe29a" opacity=".16"/>
  <path d="M64 54 100 30V86L64 68Z" fill="#ffe29a" opacity=".75"/><path d="M64 58 100 46V70L64 64Z" fill="#fff8e0"/>
  ${spool(26, 26, 20, '#e8c987', '#8f5c14')}${spool(58, 24, 17, '#f6d99a', '#8f5c14')}
  <path d="M10 46h48a6 6 0 0 1 6 6v22a6 6 0 0 1-6 6H10a6 6 0 0 1-6-6V52a6 6 0 0 1 6-6Z" fill="#8a2f2a"/><path d="M10 46h36L24 80H10a6 6 0 0 1-6-6V52a6 6 0 0 1 6-6Z" fill="#c9524a"/>
  <circle cx="24" cy="63" r="10" fill="#ffd97a"/><circle cx="24" cy="63" r="5" fill="#8a2f2a"/><path d="M62 54h8v16h-8Z" fill="#f0bd55"/>
  <path d="M42 58h14M42 66h14" stroke="#ffd97a" stroke-width="3.500" stroke-linecap="round"/><path d="M16 80l-8 16M52 80l8 16M34 80v16" stroke="#c98a26" stroke-width="5" stroke-linecap="round"/>`;

const film = `
  <path d="M50 92C70 96 88 92 98 82" fill="none" stroke="#4a3a5e" stroke-width="11"/><path d="M58 93C74 95 88 91 97 83" fill="none" stroke="#f0bd55" stroke-width="4" stroke-dasharray="4 5"/>
  <circle cx="48" cy="50" r="45" fill="#6d4a10"/><circle cx="47" cy="48" r="43" fill="#d99f3c"/><path d="M47 5A43 43 0 0 0 12 73C22 46 44 24 78 18A43 43 0 0 0 47 5Z" fill="#f7d78c"/>
  ${[0, 72, 144, 216, 288]
    .map((turn) => `<circle cx="47" cy="22" r="11" fill="#10182e" transform="rotate(${turn} 47 48)"/>`)
    .join(
      '',
    )}<circle cx="47" cy="48" r="7" fill="#10182e"/><circle cx="47" cy="48" r="39" fill="none" stroke="#8f5c14" stroke-width="2.500"/>`;

const clapper = `
  <path d="M8 40h84v48a6 6 0 0 1-6 6H14a6 6 0 0 1-6-6Z" fill="#1c2440"/><path d="M8 40h50L24 94H14a6 6 0 0 1-6-6Z" fill="#2f3c66"/>
  <path d="M8 40h84v-3H8Z" fill="#e8dfd0"/><path d="M6 32 88 10l4 14L10 40Z" fill="#f4ecdf"/><path d="m18 29 11 8 10-3-11-8ZM40 23l11 8 10-3-11-8ZM62 17l11 8 10-3-11-8Z" fill="#b3322f"/>
  <path d="M18 54h64M18 67h40" stroke="#8fa0d0" stroke-width="4" stroke-linecap="round"/><path d="M70 66l4 8 9 1-7 6 2 9-8-5-8 5 2-9-7-6 9-1Z" fill="#ffd97a"/>`;

const horn = `
  <path d="M50 62v34M34 97h32" stroke="#8f5c14" stroke-width="6" stroke-linecap="round"/>
  <path d="M34 40 84 10C96 26 96 66 84 82L34 58Z" fill="#7f8ca8"/><path d="M34 40 84 10C88 15 91 22 92 30L34 50Z" fill="#c9d3e6"/><ellipse cx="85" cy="46" rx="9" ry="36" fill="#3c4763"/><ellipse cx="84" cy="46" rx="5" ry="26" fill="#1c2440"/>
  <path d="M14 36h22v26H14a7 7 0 0 1-7-7V43a7 7 0 0 1 7-7Z" fill="#8a2f2a"/><path d="M14 36h22v9H8c0-5 2-9 6-9Z" fill="#c9524a"/>`;

const puff = (x, y, r) =>
  `<circle cx="${x}" cy="${y}" r="${r}" fill="#e3b64e"/><circle cx="${x - 1}" cy="${y - 1.5}" r="${r - 1.5}" fill="#fff3cf"/>`;
const popcorn = `
  ${puff(28, 32, 11)}${puff(72, 32, 11)}${puff(40, 22, 12)}${puff(60, 20, 12)}${puff(50, 32, 12)}${puff(50, 12, 9)}
  <path d="M16 36h68l-9 58a5 5 0 0 1-5 4H30a5 5 0 0 1-5-4Z" fill="#f8eedf"/><path d="m26 36 5 62h10l-3-62ZM50 36v62h9l3-62ZM74 36l-6 62h3a5 5 0 0 0 4-4l9-58Z" fill="#c1332f"/><path d="M16 36h68l-1 8H17Z" fill="#8a2f2a" opacity=".55"/>`;

const ticket = `
  <g transform="rotate(-14 50 50)"><path d="M4 28h92v14a8 8 0 0 0 0 16v14H4V58a8 8 0 0 0 0-16Z" fill="#1f7f78"/><path d="M4 28h64L34 72H4V58a8 8 0 0 0 0-16Z" fill="#35a89c"/>
  <path d="M70 30v40" stroke="#0d4a46" stroke-width="3" stroke-dasharray="4 5"/><path d="M36 36l5 10 11 1-8 8 2 11-10-6-10 6 2-11-8-8 11-1Z" fill="#ffe29a"/><path d="M80 40v20M88 40v20" stroke="#d9fff4" stroke-width="3.500" stroke-linecap="round"/></g>`;

const lantern = `
  <path d="M26 40C20 10 80 10 74 40" fill="none" stroke="#8f5c14" stroke-width="4"/><path d="M40 22h20l6 12H34Z" fill="#c98a26"/><path d="M40 22h8l-4 12H34Z" fill="#f6d07a"/>
  <path d="M34 34h32c8 14 8 30 0 42H34c-8-12-8-28 0-42Z" fill="#ffe9b0" opacity=".45"/><path d="M50 40c10 12 12 20 6 28-3 4-9 4-12 0-6-8-4-16 6-28Z" fill="#f2a43a"/><path d="M50 52c5 6 5 10 3 14-2 2-4 2-6 0-2-4-2-8 3-14Z" fill="#fff6d8"/>
  <path d="M30 34v42M70 34v42M34 55h32" stroke="#8f5c14" stroke-width="3"/><path d="M28 76h44l5 16a4 4 0 0 1-4 5H27a4 4 0 0 1-4-5Z" fill="#8a5a1a"/><path d="M28 76h22l-8 21H27a4 4 0 0 1-4-5Z" fill="#d99f3c"/>`;

export const CINEMA = [projector, film, clapper, horn, popcorn, ticket, lantern];
