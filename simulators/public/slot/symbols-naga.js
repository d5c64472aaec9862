/** Symbols of the river serpent, rarest first, each in a square of 100, lit from the upper left. */
const flame = (turn, size, colour) =>
  `<path d="M0 0C-10-12-2-22-8-36 0-30 4-26 6-20 8-32 8-42 16-52 18-36 24-34 20-16 28-20 30-26 34-28 30-14 32-6 20 4Z" fill="${colour}" transform="translate(60 44) rotate(${turn}) scale(${size})"/>`;

const naga = `
  <circle cx="50" cy="50" r="47" fill="#ffe9a8" opacity=".16"/>
  ${flame(-12, 0.86, '#f0bd55')}${flame(28, 0.9, '#c98a26')}${flame(66, 0.8, '#f0bd55')}${flame(-6, 0.5, '#c1272d')}${flame(34, 0.5, '#c1272d')}
  <path d="M96 98C98 74 92 60 84 52L58 66C68 76 70 88 68 98Z" fill="#0d4f42"/><path d="M90 98C92 78 86 66 78 58L62 66C72 76 72 88 70 98Z" fill="#1f8a72"/>
  <path d="M82 58C86 34 66 24 46 32 34 38 28 40 16 38 6 36 2 44 8 50 4 56 10 60 18 58 34 58 44 66 54 74 66 84 80 74 82 58Z" fill="#0d4f42"/>
  <path d="M80 54C82 36 64 28 46 36 36 41 28 43 16 42 8 42 6 47 11 50 30 50 50 54 72 66 78 64 80 60 80 54Z" fill="#3dbf9c"/>
  <path d="M14 52C34 52 50 56 62 66 58 70 50 66 44 62 34 56 26 56 18 56 14 56 12 54 14 52Z" fill="#a51f2b"/>
  <path d="M18 52l4 9 4-9ZM34 54l3 8 5-6Z" fill="#fff8ea"/><path d="M46 40C54 33 66 36 68 44 60 50 50 48 46 40Z" fill="#fff3c4"/><circle cx="57" cy="42.500" r="4" fill="#23121f"/>
  <path d="M8 46C0 40 4 30 14 32 10 36 12 38 16 42Z" fill="#f0bd55"/><path d="M44 70c-2 12-12 16-16 26 12-4 22-10 28-20Z" fill="#f0bd55"/>`;

const pearl = `
  <path d="M50 2C58 16 70 14 72 28 84 30 80 44 92 52 86 60 92 74 80 78 74 92 60 88 50 98 40 88 26 92 20 78 8 74 14 60 8 52 20 44 16 30 28 28 30 14 42 16 50 2Z" fill="#c4521f"/>
  <path d="M50 14C56 24 64 24 66 34 76 36 74 46 82 54 76 60 80 70 72 74 66 84 58 80 50 88 42 80 34 84 28 74 20 70 24 60 18 54 26 46 24 36 34 34 36 24 44 24 50 14Z" fill="#f2a43a"/>
  <circle cx="50" cy="54" r="24" fill="#e8c9b8"/><circle cx="48" cy="51" r="22" fill="#fff6ea"/><path d="M30 54A20 20 0 0 1 52 33C42 40 36 46 30 54Z" fill="#fff"/><path d="M66 62A20 20 0 0 1 44 72C54 72 60 68 66 62Z" fill="#f3b9a8"/>`;

const conch = `
  <path d="M92 10C70 6 40 14 22 36 6 56 8 84 26 94 32 70 60 66 78 50 92 38 96 22 92 10Z" fill="#c9906a"/>
  <path d="M92 10C70 6 40 14 22 36 12 48 9 62 11 74 26 46 58 40 92 10Z" fill="#fff0dc"/>
  <path d="M26 94C14 76 30 58 44 66 52 72 44 86 26 94Z" fill="#e2777c"/><path d="M26 94C22 80 32 68 42 70 38 80 34 86 26 94Z" fill="#ffb9ae"/>
  <path d="M40 26C46 34 48 44 46 54M56 18C62 26 66 36 64 46M72 12C78 20 80 28 79 36" stroke="#9a5a3c" stroke-width="3.500" fill="none" stroke-linecap="round"/>
  <path d="M92 10 98 2M24 44c-8-2-12-8-14-14" stroke="#f0bd55" stroke-width="5" stroke-linecap="round"/>`;

const petals = [-66, -40, -14, 14, 40, 66]
  .map(
    (turn, n) =>
      `<path d="M0 0C-12-14-9-30 0-40 9-30 12-14 0 0Z" fill="${n % 2 ? '#1f8a72' : '#2fae8e'}" transform="translate(50 84) rotate(${turn})"/>`,
  )
  .join('');
const krathong = `
  <path d="M50 4C58 14 56 22 50 28 44 22 42 14 50 4Z" fill="#f2a43a"/><path d="M50 12c3 5 3 9 0 13-3-4-3-8 0-13Z" fill="#fff3c4"/>
  <path d="M46 28h8v34h-8Z" fill="#f8eedf"/><path d="M50 28h4v34h-4Z" fill="#d6bfa4"/>
  <path d="M34 22v40M66 22v40" stroke="#a8642e" stroke-width="3"/><circle cx="34" cy="20" r="3.500" fill="#ff7a4a"/><circle cx="66" cy="20" r="3.500" fill="#ff7a4a"/>
  ${petals}<path d="M6 76q44 14 88 0-6 20-44 20T6 76Z" fill="#8a5a22"/><path d="M6 76q44 14 88 0l-3 7q-41 12-82 0Z" fill="#d99a44"/>
  <circle cx="30" cy="66" r="8" fill="#d6608a"/><circle cx="70" cy="66" r="8" fill="#d6608a"/><circle cx="50" cy="70" r="9" fill="#f7bccb"/><circle cx="50" cy="70" r="4" fill="#f0bd55"/><circle cx="30" cy="66" r="3" fill="#fff3c4"/><circle cx="70" cy="66" r="3" fill="#fff3c4"/>`;

const fish = `
  <path d="M72 50C82 34 94 28 98 30 94 42 94 58 98 70 92 72 80 64 72 50Z" fill="#c4521f"/><path d="M40 26C48 10 62 10 68 14 64 22 62 28 62 34ZM44 74C50 86 60 88 66 86 62 78 60 74 60 68Z" fill="#e2833a"/>
  <path d="M4 52C16 28 52 20 76 50 52 80 18 76 4 52Z" fill="#e08a24"/><path d="M4 52C16 28 52 20 76 50 50 38 24 40 4 52Z" fill="#f7c25a"/>
  <path d="M34 38c8 8 8 20 0 28M46 38q6 6 0 12 6 6 0 12M58 42q5 5 0 9 5 5 0 9" stroke="#a8521c" stroke-width="3" fill="none" stroke-linecap="round"/>
  <circle cx="20" cy="48" r="5.500" fill="#fff8ea"/><circle cx="19" cy="48" r="3" fill="#23121f"/><path d="M5 54c4 1 7 1 10 0" stroke="#a8521c" stroke-width="2.500" stroke-linecap="round"/>`;

const leafOf = (turn, length, colour) =>
  `<path d="M0 0C-14-${length * 0.4} -10-${length * 0.8} 0-${length} 10-${length * 0.8} 14-${length * 0.4} 0 0Z" fill="${colour}" transform="translate(50 84) rotate(${turn})"/>`;
const lotus = `
  ${leafOf(-72, 48, '#8f1f4a')}${leafOf(72, 48, '#8f1f4a')}${leafOf(-46, 60, '#b83a66')}${leafOf(46, 60, '#b83a66')}${leafOf(-22, 70, '#d6608a')}${leafOf(22, 70, '#c94c7a')}${leafOf(0, 76, '#ef9ab4')}${leafOf(-11, 54, '#fbd0da')}${leafOf(13, 50, '#e27d9f')}${leafOf(0, 40, '#fde9ec')}
  <path d="M14 86q36-12 72 0-36 18-72 0Z" fill="#1f6a4c"/><path d="M14 86q36-12 72 0-36 2-72 0Z" fill="#3d9a6c"/>`;

const leaf = `
  <path d="M50 56C50 74 44 86 34 98" stroke="#1f6a3c" stroke-width="6" stroke-linecap="round" fill="none"/>
  <path d="M50 50 54 6C82 8 98 30 96 54 92 80 66 88 46 84 20 80 4 62 6 44 8 24 26 8 44 6Z" fill="#1f7a52"/><path d="M50 50 44 6C26 8 8 24 6 44 4 56 12 68 22 76 20 58 30 52 50 50Z" fill="#45b57e"/>
  <path d="M50 50 14 34M50 50 12 62M50 50 40 82M50 50 74 78M50 50 92 52M50 50 82 20" stroke="#bfeecb" stroke-opacity=".6" stroke-width="2.500" stroke-linecap="round"/>
  <path d="M64 38C62 32 66 26 70 24 74 28 76 34 73 39 70 42 66 42 64 38Z" fill="#d9f6ff"/><circle cx="68" cy="34" r="2.500" fill="#fff"/>`;

export const NAGA = [naga, pearl, conch, krathong, fish, lotus, leaf];
