const STUDS = 24;
const at = (turn: number, reach: number): { cx: number; cy: number } => ({
  cx: 100 + reach * Math.sin(turn * 2 * Math.PI),
  cy: 100 - reach * Math.cos(turn * 2 * Math.PI),
});

/** Lacquer between two bands of gold, studded, and the light from above left. Stands while the slices turn. */
export function WheelRim() {
  return (
    <svg
      viewBox="0 0 200 200"
      aria-hidden="true"
      focusable="false"
      className="pointer-events-none absolute inset-0 size-full overflow-visible"
    >
      <defs>
        <linearGradient id="rim-gold" x1="0.150" y1="0.050" x2="0.850" y2="0.950">
          <stop offset="0" stopColor="var(--color-gold-lit)" />
          <stop offset="0.450" stopColor="var(--color-gold)" />
          <stop offset="1" stopColor="var(--color-gold-deep)" />
        </linearGradient>
        <linearGradient id="rim-lacquer" x1="0.150" y1="0.050" x2="0.850" y2="0.950">
          <stop offset="0" stopColor="var(--color-lacquer-lit)" />
          <stop offset="0.400" stopColor="var(--color-lacquer)" />
          <stop offset="1" stopColor="var(--color-lacquer-deep)" />
        </linearGradient>
        <radialGradient id="rim-light" cx="0.280" cy="0.160" r="0.620">
          <stop offset="0" stopColor="var(--color-gold-lit)" stopOpacity="0.300" />
          <stop offset="1" stopColor="var(--color-gold-lit)" stopOpacity="0" />
        </radialGradient>
      </defs>
      <circle cx="100" cy="100" r="90" fill="url(#rim-light)" />
      {/* The shadow of the rim on the slices, away from the light. */}
      <circle cx="101" cy="102" r="89.500" fill="none" className="stroke-well/55" strokeWidth="3" />
      <circle cx="100" cy="100" r="94.500" fill="none" stroke="url(#rim-lacquer)" strokeWidth="10" />
      <circle cx="100" cy="100" r="98.700" fill="none" stroke="url(#rim-gold)" strokeWidth="2.600" />
      <circle cx="100" cy="100" r="90" fill="none" stroke="url(#rim-gold)" strokeWidth="2" />
      {Array.from({ length: STUDS }, (_, stud) => {
        const { cx, cy } = at((stud + 0.5) / STUDS, 94.4);
        return (
          <g key={stud}>
            <circle cx={cx + 0.4} cy={cy + 0.6} r="2.500" className="fill-well/60" />
            <circle cx={cx} cy={cy} r="2.200" className="fill-gold" />
            <circle cx={cx - 0.6} cy={cy - 0.7} r="0.900" className="fill-gold-lit" />
          </g>
        );
      })}
      <circle cx="100" cy="100" r="30" fill="none" stroke="url(#rim-gold)" strokeWidth="3" />
      <circle cx="100.500" cy="101" r="31.800" fill="none" className="stroke-well/45" strokeWidth="1.500" />
    </svg>
  );
}

/** A drop of gold; leans on the studs as they pass. A picture of its own, so that it moves without being painted again. */
export function WheelPointer({ isSpinning }: { isSpinning: boolean }) {
  return (
    <svg
      viewBox="0 0 26 36"
      aria-hidden="true"
      focusable="false"
      className={`pointer-events-none absolute inset-x-0 -top-[4%] mx-auto w-[12%] overflow-visible origin-[50%_30%] ${isSpinning ? 'motion-safe:animate-tick' : ''}`}
    >
      <path d="M14 34.500 4.500 14.500a10.500 10.500 0 1 1 20 0Z" className="fill-well/50" />
      <path d="M13 33 3.500 13a10.500 10.500 0 1 1 19 0Z" fill="url(#rim-gold)" />
      <circle cx="13" cy="10.500" r="5.600" fill="url(#rim-lacquer)" />
      <circle cx="11.300" cy="8.800" r="1.600" className="fill-ivory/80" />
    </svg>
  );
}
