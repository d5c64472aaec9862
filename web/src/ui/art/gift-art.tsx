export function GiftArt({ className = 'h-28 w-36' }: { className?: string }) {
  return (
    <svg viewBox="0 0 144 112" className={className} aria-hidden="true" focusable="false">
      <ellipse cx="72" cy="102" rx="50" ry="6" className="fill-well" />
      <path d="M30 52h84v44a5 5 0 0 1-5 5H35a5 5 0 0 1-5-5Z" fill="#7c121f" />
      <path d="M30 52h84v9H30Z" fill="#0e060d" fillOpacity=".35" />
      <path d="M30 52h30v49H35a5 5 0 0 1-5-5Z" fill="#b81f2d" fillOpacity=".55" />
      <path d="M24 38a4 4 0 0 1 4-4h88a4 4 0 0 1 4 4v14a4 4 0 0 1-4 4H28a4 4 0 0 1-4-4Z" fill="#b81f2d" />
      <path d="M28 34h88a4 4 0 0 1 4 4v2H24v-2a4 4 0 0 1 4-4Z" fill="#d23a40" />
      <path d="M63 34h18v67H63Z" fill="#e6b860" />
      <path d="M63 34h6v67h-6Z" fill="#f7dc9d" />
      <path d="M63 56h18v6H63Z" fill="#8f6420" fillOpacity=".7" />
      <g fill="none" stroke="#e6b860" strokeWidth="6" strokeLinejoin="round">
        <path d="M72 33C60 33 46 28 46 19c0-7 7-10 13-7 7 3 11 12 13 21Z" />
        <path d="M72 33c12 0 26-5 26-14 0-7-7-10-13-7-7 3-11 12-13 21Z" />
      </g>
      <path d="M64 31a8 6 0 0 1 16 0v5H64Z" fill="#f7dc9d" />
      <path d="m118 14 2.500 6 6 2.500-6 2.500-2.500 6-2.500-6-6-2.500 6-2.500Z" fill="#f7dc9d" />
      <path d="m22 16 2 4.500 4.500 2-4.500 2-2 4.500-2-4.500-4.500-2 4.500-2Z" fill="#8f6420" />
    </svg>
  );
}
