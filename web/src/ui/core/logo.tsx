export function Logo({ className = 'size-9' }: { className?: string }) {
  return (
    <svg viewBox="0 0 48 48" className={`shrink-0 ${className}`} aria-hidden="true">
      <path d="M15 19v-4a9 9 0 0 1 18 0v4" fill="none" stroke="#e6b860" strokeWidth="3" strokeLinecap="round" />
      <path d="M8 18.5h32l3.5 22.500a3 3 0 0 1-3 3.500H7.500a3 3 0 0 1-3-3.500Z" fill="#b81f2d" />
      <path d="M8 18.500h32l.6 4H7.400Z" fill="#7c121f" />
      <g fill="none" strokeWidth="2.4" strokeLinecap="round">
        <path d="M10 28.500h6M20 34.500h6M30 28.500h6M10 40h6M30 40h6" stroke="#f7dc9d" />
        <path d="M21 25.500v5M27 25.500v5M13 32v5M19 38v4M29 38v4M35 32v5" stroke="#e6b860" strokeOpacity=".65" />
      </g>
      <circle cx="24" cy="20.5" r="3.2" fill="#f7dc9d" />
      <circle cx="24" cy="20.5" r="1.3" fill="#8f6420" />
    </svg>
  );
}
