const SLICE_COUNT = 8;
const SLICE_COLOURS = ['#b81f2d', '#311a2c', '#e6b860', '#311a2c'];

const pointOnCircle = (turnShare: number, radius: number): string =>
  `${(80 + radius * Math.sin(turnShare * 2 * Math.PI)).toFixed(1)} ${(80 - radius * Math.cos(turnShare * 2 * Math.PI)).toFixed(1)}`;

export function WheelArt({ className = 'size-40' }: { className?: string }) {
  return (
    <svg viewBox="0 0 160 168" className={className} aria-hidden="true" focusable="false">
      <ellipse cx="80" cy="160" rx="46" ry="6" className="fill-well" />
      <circle cx="80" cy="80" r="74" fill="#8f6420" />
      <circle cx="80" cy="80" r="70" fill="#23121f" />
      {Array.from({ length: SLICE_COUNT }, (_, slice) => (
        <path
          key={slice}
          d={`M80 80L${pointOnCircle((slice - 0.5) / SLICE_COUNT, 64)}A64 64 0 0 1 ${pointOnCircle((slice + 0.5) / SLICE_COUNT, 64)}Z`}
          fill={SLICE_COLOURS[slice % SLICE_COLOURS.length]}
          stroke="#8f6420"
          strokeWidth="1.500"
        />
      ))}
      {Array.from({ length: SLICE_COUNT * 2 }, (_, lightIndex) => {
        const [x, y] = pointOnCircle(lightIndex / SLICE_COUNT / 2, 70.5).split(' ');
        return (
          <circle key={lightIndex} cx={x} cy={y} r="2.200" fill="#f7dc9d" fillOpacity={lightIndex % 2 ? 0.35 : 0.9} />
        );
      })}
      <path d="M80 16a64 64 0 0 1 55 32L80 80Z" fill="#fff" fillOpacity=".07" />
      <circle cx="80" cy="80" r="20" fill="#0e060d" fillOpacity=".5" />
      <circle cx="80" cy="79" r="18" fill="#e6b860" />
      <circle cx="80" cy="79" r="13" fill="#7c121f" stroke="#f7dc9d" strokeWidth="1.500" />
      <path d="M70 2h20L80 24Z" fill="#f7dc9d" stroke="#8f6420" strokeWidth="1.500" strokeLinejoin="round" />
    </svg>
  );
}
