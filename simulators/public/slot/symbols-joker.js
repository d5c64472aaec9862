/** Symbols of the harlequin, rarest first, each in a square of 100, lit from the upper left. */
const bell = (x, y, r = 6) =>
  `<circle cx="${x}" cy="${y}" r="${r}" fill="#8f6420"/><circle cx="${x - 0.6}" cy="${y - 0.8}" r="${r - 0.8}" fill="#f0c878"/><path d="M${x - r / 2} ${y + 1.5}h${r}" stroke="#5d3d10" stroke-width="1.600"/>`;

const mask = `
  <circle cx="50" cy="50" r="47" fill="#ffd97a" opacity=".16"/>
  <path d="M20 44C10 26 4 28 2 38 0 18 16 6 34 20L40 36Z" fill="#1f8a72"/><path d="M80 44C90 26 96 28 98 38 100 18 84 6 66 20L60 36Z" fill="#8f1f2c"/>
  <path d="M20 42C28 24 40 20 50 2 60 20 72 24 80 42Z" fill="#c1272d"/><path d="M20 42C28 24 40 20 50 2V42Z" fill="#2fae8e"/>${bell(3, 40)}${bell(97, 40)}${bell(50, 5)}
  <path d="M14 42C28 34 40 42 50 36 60 42 72 34 86 42 90 70 74 92 50 98 26 92 10 70 14 42Z" fill="#8f6420"/>
  <path d="M18 45C30 39 41 46 50 40V94C29 88 14 70 18 45Z" fill="#fff3dc"/><path d="M82 45C70 39 59 46 50 40V94C71 88 86 70 82 45Z" fill="#d6353c"/>
  <path d="M22 58C30 49 42 51 45 60 37 67 27 65 22 58ZM78 58C70 49 58 51 55 60 63 67 73 65 78 58Z" fill="#23121f"/>
  <path d="M33 68l4 9-4 9-4-9Z" fill="#1f8a72"/><path d="M67 68l4 9-4 9-4-9Z" fill="#23121f"/><path d="M50 56l6 16c-3 4-9 4-12 0Z" fill="#f0c878"/>
  <path d="M34 80c10 6 22 6 32 0-5 10-27 10-32 0Z" fill="#23121f"/>`;

const crown = `
  <path d="M10 30 28 52 50 16 72 52 90 30 84 78H16Z" fill="#b5792a"/><path d="M10 30 28 52 50 16V78H16Z" fill="#f0bd55"/>
  <path d="M14 76h72v12q-36 8-72 0Z" fill="#8f5c14"/><path d="M14 76h72v5H14Z" fill="#ffe29a"/>
  <circle cx="10" cy="28" r="6" fill="#ffe29a"/><circle cx="90" cy="28" r="6" fill="#f0bd55"/><circle cx="50" cy="13" r="7" fill="#ffe29a"/>
  <path d="M50 46l9 12-9 12-9-12Z" fill="#c1272d"/><path d="M50 46v12H41Z" fill="#ff9a94"/><circle cx="27" cy="66" r="5" fill="#2fae8e"/><circle cx="73" cy="66" r="5" fill="#2fae8e"/>`;

const staff = `
  <path d="M30 98 58 44" stroke="#6e3820" stroke-width="8" stroke-linecap="round"/><path d="M30 98 58 44" stroke="#c98a33" stroke-width="4" stroke-linecap="round" stroke-dasharray="8 6"/>
  <path d="M42 44C22 40 14 24 20 12 26 22 34 20 46 26ZM76 44C94 46 100 30 94 18 88 26 80 22 70 26Z" fill="#1f8a72"/>
  <path d="M40 40C38 22 52 18 58 2 64 18 80 22 78 42Z" fill="#c1272d"/><path d="M40 40C38 22 52 18 58 2 60 16 54 30 52 42Z" fill="#ef5a52"/>${bell(20, 13, 7)}${bell(94, 19, 7)}${bell(58, 6, 7)}
  <path d="M36 42q22-8 46 2l-4 14-9-8-9 10-9-11-10 9Z" fill="#f0bd55"/><path d="M36 42q10-4 22-3l-7 10-10 9Z" fill="#ffe29a"/>`;

const rose = `
  <path d="M52 56C50 74 54 86 50 98" stroke="#1f6a3c" stroke-width="6" stroke-linecap="round" fill="none"/>
  <path d="M52 84C66 66 84 68 94 76 84 90 66 92 52 84ZM50 74C38 60 22 62 12 70 22 82 38 84 50 74Z" fill="#2f9a5a"/><path d="M12 70c14-4 26-2 38 4-14-12-28-12-38-4Z" fill="#62c98a"/>
  <circle cx="50" cy="36" r="33" fill="#8f1626"/><path d="M50 3A33 33 0 0 0 18 44C26 22 46 8 70 10A33 33 0 0 0 50 3Z" fill="#e2574f"/>
  <path d="M22 40C20 60 46 68 62 60 40 60 30 52 22 40ZM78 30C82 52 66 64 50 60 66 54 74 44 78 30Z" fill="#b81f2d"/>
  <path d="M30 34C32 16 62 12 68 30 72 46 50 54 42 44 36 34 48 26 56 32" fill="none" stroke="#ff8f88" stroke-width="5" stroke-linecap="round"/>`;

const stripes = `
  <circle cx="50" cy="52" r="42" fill="#8f1626"/><circle cx="50" cy="50" r="42" fill="#d6353c"/>
  <path d="M50 8C30 20 24 80 50 92 40 92 24 88 16 75 2 50 20 14 50 8Z" fill="#fff3dc"/><path d="M50 8C70 20 76 80 50 92 74 92 92 74 92 50 92 28 74 8 50 8Z" fill="#1f8a72"/><path d="M50 8C38 22 34 78 50 92 66 78 62 22 50 8Z" fill="#f0bd55"/>
  <path d="M20 38C26 22 38 16 46 14" stroke="#fff" stroke-width="6" stroke-linecap="round" fill="none" opacity=".8"/>`;

const pin = `
  <g transform="rotate(24 50 50)"><path d="M44 2h12v26C66 40 66 60 60 76L54 96H46L40 76C34 60 34 40 44 28Z" fill="#c9b9a4"/><path d="M44 2h6v94h-4L40 76C34 60 34 40 44 28Z" fill="#fff3dc"/>
  <path d="M36 46h28q2 9 0 18H36q-2-9 0-18Z" fill="#c1272d"/><path d="M36 46h14v18H36q-2-9 0-18Z" fill="#ef5a52"/><path d="M43 12h14v7H43ZM44 88h12l-2 8h-8Z" fill="#f0bd55"/></g>`;

const diamond = `
  <path d="M50 4 86 50 50 96 14 50Z" fill="#7a1220"/><path d="M50 4 84 50 50 92 16 50Z" fill="#c1272d"/><path d="M50 4V92L16 50Z" fill="#e2574f"/>
  <path d="M50 20 74 50 50 80 26 50Z" fill="none" stroke="#ffd97a" stroke-width="4"/><path d="M50 38l9 12-9 12-9-12Z" fill="#ffd97a"/>`;

export const JOKER = [mask, crown, staff, rose, stripes, pin, diamond];
