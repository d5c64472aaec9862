import { type ReactNode, useState } from 'react';

/** Drawn to 300 × 211, meant to lie under words at the bottom. */
export type GameArtProps = {
  category: string;
  /** The game's own picture: a path of this site, or an https address. */
  src?: string;
  /** Must position it: what darkens the picture lies over it. */
  className?: string;
};

const FILL = 'block size-full object-cover';

const Rays = ({ x, y, colour }: { x: number; y: number; colour: string }) => (
  <g fill={colour} fillOpacity=".1">
    {Array.from({ length: 12 }, (_, i) => (
      <path key={i} d={`M${x} ${y}l-14-230h28Z`} transform={`rotate(${i * 30} ${x} ${y})`} />
    ))}
  </g>
);

const Reel = ({ x, children }: { x: number; children: ReactNode }) => (
  <g transform={`translate(${x} 40)`}>
    <rect width="58" height="92" rx="8" fill="#f8eedf" />
    <rect width="58" height="22" rx="8" fill="#cdb8bf" />
    <rect y="70" width="58" height="22" rx="8" fill="#cdb8bf" />
    {children}
  </g>
);

const Seven = () => <path d="M14 30h30v8L29 64h-11l13-24H14Z" fill="#b81f2d" />;
const Gem = () => (
  <path
    d="m29 26 17 14-17 26-17-26Zm0 0-6 14 6 26 6-26ZM12 40h34"
    fill="#5fcfa4"
    stroke="#12463a"
    strokeWidth="2"
    strokeLinejoin="round"
  />
);

const Reels = () => (
  <>
    <rect width="300" height="211" fill="#43183a" />
    <Rays x={205} y={86} colour="#f7dc9d" />
    <rect x="108" y="28" width="184" height="116" rx="16" fill="#8f6420" />
    <rect x="112" y="32" width="176" height="108" rx="12" fill="#7c121f" />
    <Reel x={118}>
      <Seven />
    </Reel>
    <Reel x={171}>
      <Gem />
    </Reel>
    <Reel x={224}>
      <Seven />
    </Reel>
  </>
);

const Pitch = () => (
  <>
    <rect width="300" height="211" fill="#0d3b2c" />
    <path d="M100 211 178 0h52l-30 211Z" fill="#12503b" />
    <path d="M300 40H226v96h74M300 70h-34v36h34" fill="none" stroke="#f8eedf" strokeOpacity=".35" strokeWidth="3" />
    <circle cx="200" cy="86" r="52" fill="#f8eedf" />
    <path d="m200 60 24 17-9 28h-30l-9-28Z" fill="#23121f" />
    <path d="M200 60V36M224 77l24-8M215 105l15 22M185 105l-15 22M176 77l-24-8" stroke="#23121f" strokeWidth="4" />
    <path
      d="M182 37a52 52 0 0 1 36 0l-18 9ZM249 69a52 52 0 0 1 2 32l-12-14ZM222 133a52 52 0 0 1-44 0l22-6ZM149 101a52 52 0 0 1 2-32l10 18Z"
      fill="#23121f"
    />
  </>
);

const Balls = () => (
  <>
    <rect width="300" height="211" fill="#4d340f" />
    <Rays x={206} y={84} colour="#f7dc9d" />
    {[
      { x: 164, y: 100, r: 34, fill: '#b81f2d', text: '8' },
      { x: 232, y: 104, r: 36, fill: '#e6b860', text: '59' },
      { x: 200, y: 58, r: 32, fill: '#5fcfa4', text: '24' },
    ].map(({ x, y, r, fill, text }) => (
      <g key={text}>
        <circle cx={x} cy={y} r={r} fill={fill} />
        <circle cx={x - r * 0.35} cy={y - r * 0.4} r={r * 0.22} fill="#fff" fillOpacity=".55" />
        <circle cx={x} cy={y + 2} r={r * 0.56} fill="#fff8ea" />
        <text
          x={x}
          y={y + 3}
          dominantBaseline="central"
          textAnchor="middle"
          fontSize={r * 0.62}
          fontWeight="700"
          fill="#23121f"
        >
          {text}
        </text>
      </g>
    ))}
  </>
);

const byCategory: Readonly<Record<string, () => ReactNode>> = { slot: Reels, sport: Pitch, lotto: Balls };

/** A game's picture: the one that the operator has given it, else, or when that isn't there, the one of its kind. */
export function GameArt({ category, src, className = 'relative size-full' }: GameArtProps) {
  const Drawing = byCategory[category] ?? Reels;
  const [missing, setMissing] = useState<string>();
  return (
    <span aria-hidden="true" className={`block ${className}`}>
      {src && src !== missing && /^(https:\/\/|\/(?!\/))/.test(src) ? (
        <img
          src={src}
          alt=""
          width="300"
          height="211"
          decoding="async"
          draggable="false"
          className={FILL}
          onError={() => setMissing(src)}
        />
      ) : (
        <svg viewBox="0 0 300 211" preserveAspectRatio="xMidYMid slice" className={FILL} focusable="false">
          <Drawing />
        </svg>
      )}
      {/* Words lie on the left and below: darken there, as the light comes from above. */}
      <svg viewBox="0 0 300 211" preserveAspectRatio="none" className={`absolute inset-0 ${FILL}`} focusable="false">
        <path d="M0 0h96q24 90-6 211H0Z" fill="#0e060d" fillOpacity=".28" />
        <path d="M0 138q150 22 300-6v79H0Z" fill="#0e060d" fillOpacity=".72" />
      </svg>
    </span>
  );
}
