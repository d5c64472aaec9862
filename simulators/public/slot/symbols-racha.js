/** Symbols of the royal elephant, rarest first, each in a square of 100, lit from the upper left. */
const elephant = `
  <circle cx="50" cy="50" r="47" fill="#ffd97a" opacity=".16"/>
  <path d="M28 34C10 22 0 36 2 52 4 68 18 76 30 68ZM72 34C90 22 100 36 98 52 96 68 82 76 70 68Z" fill="#a8928f"/><path d="M28 40C14 30 7 40 8 52 10 62 20 68 29 62ZM72 40C86 30 93 40 92 52 90 62 80 68 71 62Z" fill="#d9aaa6"/>
  <path d="M24 36C26 14 74 14 76 36 78 52 72 62 62 66 62 80 62 92 50 96 42 98 36 94 36 88 42 90 46 86 44 78 42 72 40 68 38 66 28 62 22 52 24 36Z" fill="#cfc0b9"/>
  <path d="M24 36C26 14 60 14 66 22 46 22 34 36 38 66 28 62 22 52 24 36Z" fill="#f3e9e2"/>
  <path d="M44 74c6 2 12 2 18 0M44 82c6 2 12 2 17-1" stroke="#978682" stroke-width="2.500" fill="none" stroke-linecap="round"/>
  <path d="M34 64C26 72 22 82 26 92 34 86 40 78 42 70ZM66 64C74 72 78 82 74 92 66 86 62 78 60 70Z" fill="#fff8ea"/>
  <path d="M28 24C34 8 66 8 72 24 66 28 60 36 50 52 40 36 34 28 28 24Z" fill="#8f5c14"/><path d="M32 24C38 12 62 12 68 24 62 28 58 34 50 47 42 34 38 28 32 24Z" fill="#c1272d"/><path d="M50 20l7 9-7 10-7-10Z" fill="#ffd97a"/><path d="M50 24l4 5-4 6-4-6Z" fill="#2fae8e"/><path d="M44 12 50 0l6 12Z" fill="#f0bd55"/>
  <circle cx="34" cy="46" r="4" fill="#23121f"/><circle cx="66" cy="46" r="4" fill="#23121f"/><circle cx="33" cy="45" r="1.300" fill="#fff"/><circle cx="65" cy="45" r="1.300" fill="#fff"/>`;

const tier = (y, w) =>
  `<path d="M${50 - w} ${y}Q50 ${y - w * 0.8} ${50 + w} ${y}Z" fill="#fff6e6"/><path d="M50 ${y}V${y - w * 0.4}Q${50 + w * 0.5} ${y - w * 0.4} ${50 + w} ${y}Z" fill="#dcc8a8"/><path d="M${50 - w} ${y}h${w * 2}l-2 6h-${w * 2 - 4}Z" fill="#f0bd55"/>`;
const parasol = `
  <path d="M50 10V98" stroke="#8f5c14" stroke-width="6" stroke-linecap="round"/><path d="M49 10V98" stroke="#f0bd55" stroke-width="3" stroke-linecap="round"/>
  ${tier(72, 40)}${tier(52, 31)}${tier(34, 22)}${tier(19, 13)}<path d="M50 0l5 10H45Z" fill="#ffe29a"/>
  <path d="M14 80l3 8 3-8M26 80l3 8 3-8M68 80l3 8 3-8M80 80l3 8 3-8" fill="#c1272d"/>`;

const bell = `
  <path d="M40 14a10 10 0 0 1 20 0" stroke="#8f5c14" stroke-width="6" fill="none"/>
  <path d="M50 14C74 14 78 40 80 60 82 70 88 74 92 80H8C12 74 18 70 20 60 22 40 26 14 50 14Z" fill="#b5792a"/><path d="M50 14C40 20 34 40 34 62 34 72 30 76 26 80H8C12 74 18 70 20 60 22 40 26 14 50 14Z" fill="#f7d27e"/>
  <path d="M6 80h88v6q-44 8-88 0Z" fill="#8f5c14"/><path d="M22 50h57l1 8H21Z" fill="#c1272d"/><path d="M28 54h3M40 54h3M52 54h3M64 54h3" stroke="#ffd97a" stroke-width="4" stroke-linecap="round"/>
  <circle cx="50" cy="92" r="8" fill="#8f5c14"/><circle cx="48" cy="90" r="4" fill="#ffe29a"/>`;

const drum = `
  <path d="M12 28h76c8 16 8 40 0 56H12C4 68 4 44 12 28Z" fill="#7a1220"/><path d="M12 28h30c-8 16-8 40 0 56H12C4 68 4 44 12 28Z" fill="#c1272d"/>
  <ellipse cx="50" cy="28" rx="39" ry="15" fill="#8f5c14"/><ellipse cx="50" cy="26" rx="37" ry="13" fill="#fff0d4"/><ellipse cx="50" cy="26" rx="14" ry="5" fill="#3a1420"/>
  <path d="M10 36 26 80 40 40 50 84 60 40 74 80 90 36" stroke="#ffd97a" stroke-width="3.500" fill="none" stroke-linejoin="round"/><path d="M12 84q38 12 76 0v6q-38 10-76 0Z" fill="#f0bd55"/>`;

const blossom = (x, y) =>
  `<circle cx="${x}" cy="${y}" r="7.500" fill="#d9cdb4"/><circle cx="${x - 0.8}" cy="${y - 1}" r="6.500" fill="#fffaf0"/>`;
const garland = `
  ${[...Array(14).keys()]
    .map((n) => {
      const angle = (n / 14) * 2 * Math.PI;
      return blossom(+(50 + 30 * Math.cos(angle)).toFixed(1), +(36 + 28 * Math.sin(angle)).toFixed(1));
    })
    .join('')}
  <circle cx="50" cy="66" r="11" fill="#c1272d"/><circle cx="48" cy="63" r="7" fill="#ef5a52"/><circle cx="34" cy="62" r="6" fill="#2fae8e"/><circle cx="66" cy="62" r="6" fill="#2fae8e"/>
  <path d="M44 76 38 92M50 78v16M56 76l6 16" stroke="#f7d27e" stroke-width="4" stroke-linecap="round"/><circle cx="38" cy="93" r="5" fill="#c1272d"/><circle cx="50" cy="95" r="5" fill="#c1272d"/><circle cx="62" cy="93" r="5" fill="#c1272d"/>`;

const fan = `
  <path d="M47 60h6v38h-6Z" fill="#8f5c14"/><path d="M47 60h3v38h-3Z" fill="#f0bd55"/>
  <path d="M50 2C82 6 94 30 86 50 80 64 62 68 50 68S20 64 14 50C6 30 18 6 50 2Z" fill="#0d4f42"/><path d="M50 2C18 6 6 30 14 50 20 64 38 68 50 68Z" fill="#1f8a72"/>
  <path d="M50 10C74 14 84 32 78 46 72 58 60 60 50 60S28 58 22 46C16 32 26 14 50 10Z" fill="none" stroke="#ffd97a" stroke-width="3.500"/>
  <path d="M50 18C56 26 58 34 50 44 42 34 44 26 50 18ZM30 30c8 2 14 8 16 18-10-2-16-8-16-18ZM70 30c-8 2-14 8-16 18 10-2 16-8 16-18Z" fill="#f0bd55"/><circle cx="50" cy="51" r="4" fill="#c1272d"/>`;

const banana = (turn, colour) =>
  `<path d="M0 0C-8 20-8 48 8 66 14 70 20 66 18 60 10 44 10 22 12 2Z" fill="${colour}" transform="translate(46 18) rotate(${turn})"/>`;
const bananas = `
  ${banana(34, '#c98a1a')}${banana(12, '#e8ac2c')}${banana(-12, '#f7c94a')}${banana(-36, '#ffdf78')}
  <path d="M38 22C36 10 44 2 52 4 62 6 66 14 62 24 54 30 44 28 38 22Z" fill="#5c7a2a"/><path d="M38 22C36 10 44 2 52 4 46 8 42 14 44 25Z" fill="#8fae4a"/>`;

export const RACHA = [elephant, parasol, bell, drum, garland, fan, bananas];
