import type { ReactNode } from 'react';
import { Skeleton } from './data/skeleton.tsx';

export type TileProps = {
  icon: ReactNode;
  label: string;
  /** Count at the corner of the icon. Takes no space, so that it may load late. */
  badge?: ReactNode;
  /** `lacquer` for deposits, `gold` for rewards, `plain` for the rest. */
  tone?: 'lacquer' | 'gold' | 'plain';
};

export type TileButtonProps = TileProps & { onClick: () => void; disabled?: boolean };

const tones = {
  lacquer: 'bg-lacquer text-ivory ring-gold/40',
  gold: 'bg-raised text-gold ring-gold-deep',
  plain: 'bg-raised text-muted ring-line',
};

/** Style of a tile, for links: `<Link className={tileClass}><TileFace … /></Link>`. */
export const tileClass =
  'group flex min-h-24 flex-col items-center gap-2 rounded-lg bg-panel px-1.5 narrow:px-0.5 py-3 text-center shadow-low ring-1 ring-line transition-[background-color,transform] hover:bg-raised active:translate-y-px disabled:opacity-50';

/** Icon, label and badge of a tile. */
export function TileFace({ icon, label, badge, tone = 'plain' }: TileProps) {
  return (
    <>
      <span
        className={`relative flex size-12 items-center justify-center rounded-md shadow-low ring-1 ring-inset ${tones[tone]}`}
      >
        {icon}
        {badge !== undefined && (
          <span className="amount absolute -top-2 left-3/4 min-w-6 rounded-full bg-gold px-1.5 text-xs font-bold text-well shadow-low">
            {badge}
          </span>
        )}
      </span>
      {/* Narrow tiles reserve two lines, so that another label moves nothing. */}
      <span className="text-sm leading-normal font-medium text-balance max-[24rem]:min-h-[3em]">{label}</span>
    </>
  );
}

/** Placeholder of a tile until its action is known. */
export function TileSkeleton() {
  return (
    <div aria-busy="true" className={`${tileClass} pointer-events-none`}>
      <Skeleton className="size-12 rounded-md!" />
      <Skeleton className="h-[1.4rem] w-16 max-[24rem]:h-[2.8rem]" />
    </div>
  );
}

/** An action of the home page. */
export function Tile({ onClick, disabled, ...face }: TileButtonProps) {
  return (
    <button type="button" onClick={onClick} disabled={disabled} className={tileClass}>
      <TileFace {...face} />
    </button>
  );
}
