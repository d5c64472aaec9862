/** Symbols of the deep, rarest first, each in a square of 100: cut stones are facets around a table, lit from the upper left. */
const corner = (radius, turn) => {
  const angle = (turn * Math.PI) / 180;
  return [50 + radius * Math.cos(angle), 50 + radius * Math.sin(angle)];
};
const points = (list) => list.map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`).join(' ');

/** A stone of `sides` corners in five shades, dark to light. */
function stone(sides, start, shades, stretch = 1) {
  const turns = Array.from({ length: sides }, (_, n) => start + (360 / sides) * n);
  const outer = turns.map((turn) => corner(43, turn));
  const inner = turns.map((turn) => corner(24, turn));
  const facets = turns.map((turn, n) => {
    const next = (n + 1) % sides;
    // The side's middle faces the light when it looks up and left, at 225 degrees.
    const middle = turn + 180 / sides;
    const light = (Math.cos(((middle - 225) * Math.PI) / 180) + 1) / 2;
    const shade = shades[Math.min(4, Math.floor(light * 5))];
    return `<polygon points="${points([outer[n], outer[next], inner[next], inner[n]])}" fill="${shade}"/>`;
  });
  return `<g transform="translate(50 50) scale(${stretch} 1) translate(-50 -50)"><polygon points="${points(outer)}" fill="${shades[1]}"/>${facets.join('')}
    <polygon points="${points(inner)}" fill="${shades[2]}"/><polygon points="${points([inner[0], inner[Math.floor(sides / 2)], ...inner.slice(Math.floor(sides / 2) + 1)])}" fill="${shades[3]}" opacity=".8"/>
    <polygon points="${points(outer)}" fill="none" stroke="${shades[4]}" stroke-opacity=".55" stroke-width="1.500" stroke-linejoin="round"/></g>`;
}
const spark = (x, y, size) =>
  `<path d="M${x} ${y - size}Q${x} ${y} ${x + size} ${y} ${x} ${y} ${x} ${y + size} ${x} ${y} ${x - size} ${y} ${x} ${y} ${x} ${y - size}Z" fill="#fff"/>`;

const ribs = [-64, -42, -21, 0, 21, 42, 64]
  .map(
    (turn, n) =>
      `<path d="M50 86 42 18Q50 8 58 18Z" fill="${n % 2 ? '#f3b9a0' : '#e79c86'}" transform="rotate(${turn} 50 86)"/>`,
  )
  .join('');
const pearl = `
  <defs><radialGradient id="d-pearl" cx=".36" cy=".32" r=".75"><stop offset="0" stop-color="#fff"/><stop offset=".5" stop-color="#f3e7ef"/><stop offset="1" stop-color="#a992b8"/></radialGradient></defs>
  <circle cx="50" cy="52" r="47" fill="#ffd9c4" opacity=".12"/>${ribs}
  <path d="M34 84Q50 96 66 84L60 92Q50 98 40 92Z" fill="#c8705f"/>
  <circle cx="50" cy="58" r="21" fill="#6d3b52" opacity=".35"/><circle cx="50" cy="56" r="20" fill="url(#d-pearl)"/>${spark(42, 48, 8)}`;

const crown = `
  <path d="M12 76 6 32l22 18L50 16l22 34 22-18-6 44Z" fill="#e0a93a"/><path d="M12 76 6 32l22 18 4 26ZM50 16l22 34-4 26H50Z" fill="#f7d478"/>
  <path d="M12 76h76v10a6 6 0 0 1-6 4H18a6 6 0 0 1-6-4Z" fill="#b67a1e"/><path d="M14 78h72" stroke="#ffe9a8" stroke-width="3"/>
  <circle cx="6" cy="30" r="6" fill="#e8536b"/><circle cx="50" cy="13" r="7" fill="#5fd0d6"/><circle cx="94" cy="30" r="6" fill="#e8536b"/>
  <circle cx="50" cy="62" r="8" fill="#c22c4c"/><circle cx="47" cy="59" r="2.500" fill="#fff"/><circle cx="28" cy="66" r="5" fill="#2a9d8f"/><circle cx="72" cy="66" r="5" fill="#2a9d8f"/>`;

export const DEEP = [
  pearl,
  crown,
  stone(8, 22.5, ['#6d0f2b', '#951838', '#c02a4a', '#e2506a', '#ff94a2']) + spark(34, 32, 9),
  stone(6, 0, ['#0d2f7a', '#16459e', '#2464cc', '#4d90ea', '#9cc8ff']) + spark(36, 30, 8),
  stone(4, 45, ['#0b4f3a', '#12704f', '#1c9a69', '#45c48d', '#a0f0c8']) + spark(32, 34, 8),
  stone(3, -90, ['#8a4a0a', '#b56a10', '#dd9020', '#f5b94a', '#ffe3a0']) + spark(45, 42, 7),
  stone(5, -90, ['#3a1a6e', '#542a94', '#7444bc', '#9a6fdc', '#d0b4ff']) + spark(38, 36, 7),
];
