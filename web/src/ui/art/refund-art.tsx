export function RefundArt({ className = 'h-28 w-36' }: { className?: string }) {
  return (
    <svg viewBox="0 0 144 112" className={className} aria-hidden="true" focusable="false">
      <ellipse cx="72" cy="102" rx="46" ry="6" className="fill-well" />
      <path d="M28 62a44 44 0 1 1 22 32" fill="none" stroke="#533347" strokeWidth="7" strokeLinecap="round" />
      <path
        d="m16 52 12 16 15-13"
        fill="none"
        stroke="#533347"
        strokeWidth="7"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
      {[86, 76, 66].map((y) => (
        <g key={y}>
          <path d={`M50 ${y}v8a22 7 0 0 0 44 0v-8Z`} fill="#8f6420" />
          <ellipse cx="72" cy={y} rx="22" ry="7" fill="#e6b860" />
        </g>
      ))}
      <ellipse cx="72" cy="66" rx="15" ry="4.500" fill="none" stroke="#8f6420" strokeWidth="2" />
      <circle cx="72" cy="36" r="16" fill="#e6b860" />
      <circle cx="72" cy="36" r="16" fill="none" stroke="#f7dc9d" strokeWidth="2" />
      <path d="m72 26 3 7 7 3-7 3-3 7-3-7-7-3 7-3Z" fill="#8f6420" />
    </svg>
  );
}
