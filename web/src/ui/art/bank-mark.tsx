/** Colours and initials of banks; bank logos are not used. */
const BANK_STYLES: Readonly<Record<string, { background: string; textColour: string; initials: string }>> = {
  KBANK: { background: '#0f7a36', textColour: '#ffffff', initials: 'K' },
  SCB: { background: '#4e2a84', textColour: '#ffffff', initials: 'SCB' },
  BBL: { background: '#1e3a8a', textColour: '#ffffff', initials: 'BBL' },
  KTB: { background: '#0b7fb8', textColour: '#ffffff', initials: 'KTB' },
  BAY: { background: '#ffd400', textColour: '#3a2a00', initials: 'BAY' },
  TMB: { background: '#0a4ea2', textColour: '#ffffff', initials: 'ttb' },
  TTB: { background: '#0a4ea2', textColour: '#ffffff', initials: 'ttb' },
  SCBT: { background: '#1f6f5c', textColour: '#ffffff', initials: 'SC' },
  GSB: { background: '#d6308a', textColour: '#ffffff', initials: 'GSB' },
  BAAC: { background: '#2b6b34', textColour: '#ffd95e', initials: 'BAAC' },
  UOB: { background: '#0c2f6b', textColour: '#ffffff', initials: 'UOB' },
  CIMB: { background: '#7a0f1c', textColour: '#ffffff', initials: 'CIMB' },
  TISCO: { background: '#0f5fa8', textColour: '#ffffff', initials: 'T' },
  LHB: { background: '#5c6166', textColour: '#ffffff', initials: 'LH' },
  KKP: { background: '#4a3f78', textColour: '#ffffff', initials: 'KKP' },
  BCEL: { background: '#c4122f', textColour: '#ffffff', initials: 'BCEL' },
  LDB: { background: '#0d6b63', textColour: '#ffffff', initials: 'LDB' },
  JDB: { background: '#123c8c', textColour: '#ffffff', initials: 'JDB' },
  WW: { background: '#1d4f7c', textColour: '#ffffff', initials: 'QR' },
  FP: { background: '#1d4f7c', textColour: '#ffffff', initials: 'QR' },
  PAYONEX: { background: '#1d4f7c', textColour: '#ffffff', initials: 'QR' },
  WALLET: { background: '#b81f2d', textColour: '#f7dc9d', initials: '฿' },
};

/** Code of a bank as its members know it; TMB has been ttb since its merger. */
export const brandCode = (code: string): string => (code === 'TMB' ? 'ttb' : code);

const FONT_SIZES_BY_LENGTH = ['', '20', '17', '13', '11'];

/** Coloured badge with a bank's initials. An unknown bank gets the first letters of its code in neutral colours. */
export function BankMark({ code, className = 'size-11' }: { code: string; className?: string }) {
  const bankStyle = BANK_STYLES[code] ?? { background: '#533347', textColour: '#f8eedf', initials: code.slice(0, 3) };
  return (
    <svg viewBox="0 0 44 44" className={`shrink-0 ${className}`} aria-hidden="true" focusable="false">
      <rect width="44" height="44" rx="12" fill={bankStyle.background} />
      <path d="M0 12A12 12 0 0 1 12 0h20a12 12 0 0 1 12 12Z" fill="#fff" fillOpacity=".13" />
      <text
        x="22"
        y="23"
        dominantBaseline="central"
        textAnchor="middle"
        fontSize={FONT_SIZES_BY_LENGTH[Math.min(4, bankStyle.initials.length)]}
        fontWeight="700"
        fill={bankStyle.textColour}
      >
        {bankStyle.initials}
      </text>
    </svg>
  );
}
