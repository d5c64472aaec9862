/** Colours and initials of banks; no logos. */
const BANKS: Readonly<Record<string, { ground: string; ink: string; initials: string }>> = {
  KBANK: { ground: '#0f7a36', ink: '#ffffff', initials: 'K' },
  SCB: { ground: '#4e2a84', ink: '#ffffff', initials: 'SCB' },
  BBL: { ground: '#1e3a8a', ink: '#ffffff', initials: 'BBL' },
  KTB: { ground: '#0b7fb8', ink: '#ffffff', initials: 'KTB' },
  BAY: { ground: '#ffd400', ink: '#3a2a00', initials: 'BAY' },
  TMB: { ground: '#0a4ea2', ink: '#ffffff', initials: 'ttb' },
  TTB: { ground: '#0a4ea2', ink: '#ffffff', initials: 'ttb' },
  GSB: { ground: '#d6308a', ink: '#ffffff', initials: 'GSB' },
  BAAC: { ground: '#2b6b34', ink: '#ffd95e', initials: 'BAAC' },
  UOB: { ground: '#0c2f6b', ink: '#ffffff', initials: 'UOB' },
  CIMB: { ground: '#7a0f1c', ink: '#ffffff', initials: 'CIMB' },
  TISCO: { ground: '#0f5fa8', ink: '#ffffff', initials: 'T' },
  LHB: { ground: '#5c6166', ink: '#ffffff', initials: 'LH' },
  KKP: { ground: '#4a3f78', ink: '#ffffff', initials: 'KKP' },
  BCEL: { ground: '#c4122f', ink: '#ffffff', initials: 'BCEL' },
  LDB: { ground: '#0d6b63', ink: '#ffffff', initials: 'LDB' },
  JDB: { ground: '#123c8c', ink: '#ffffff', initials: 'JDB' },
  WW: { ground: '#a8541a', ink: '#ffffff', initials: 'WW' },
  FP: { ground: '#25577a', ink: '#ffffff', initials: 'FP' },
  PAYONEX: { ground: '#3c3f99', ink: '#ffffff', initials: 'PX' },
  WALLET: { ground: '#b81f2d', ink: '#f7dc9d', initials: '฿' },
};

const SIZES = ['', '20', '17', '13', '11'];

/** A bank's letter mark. Unknown banks get the first initials of their code in neutral colours. */
export function BankMark({ code, className = 'size-11' }: { code: string; className?: string }) {
  const bank = BANKS[code] ?? { ground: '#533347', ink: '#f8eedf', initials: code.slice(0, 3) };
  return (
    <svg viewBox="0 0 44 44" className={`shrink-0 ${className}`} aria-hidden="true" focusable="false">
      <rect width="44" height="44" rx="12" fill={bank.ground} />
      <path d="M0 12A12 12 0 0 1 12 0h20a12 12 0 0 1 12 12Z" fill="#fff" fillOpacity=".13" />
      <text
        x="22"
        y="23"
        dominantBaseline="central"
        textAnchor="middle"
        fontSize={SIZES[Math.min(4, bank.initials.length)]}
        fontWeight="700"
        fill={bank.ink}
      >
        {bank.initials}
      </text>
    </svg>
  );
}
