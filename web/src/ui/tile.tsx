import type { ReactNode } from 'react';
import { Skeleton } from './data/skeleton.tsx';

export type TileProps = {
  icon: ReactNode;
  label: string;
  /** Count at the corner of the icon. It takes no layout space, so that a late value moves nothing. */
  badge?: ReactNode;
  /** `lacquer` for deposits, `gold` for rewards, `plain` for other actions. */
  tone?: 'lacquer' | 'gold' | 'plain';
};

export type TileButtonProps = TileProps & { onClick: () => void; disabled?: boolean };

const toneClasses = {
  lacquer: 'bg-lacquer text-on-lacquer ring-gold/40',
  gold: 'bg-raised text-gold ring-gold-deep',
  plain: 'bg-raised text-muted ring-line',
};

/** Class names of a tile that is a link: `<Link className={tileClass}><TileFace … /></Link>`. */
export const tileClass =
  'group flex min-h-22 flex-col items-center gap-1 rounded-lg bg-panel px-1.5 narrow:px-0.5 py-1.5 text-center shadow-low ring-1 ring-line transition-[background-color,transform] hover:bg-raised active:translate-y-px disabled:opacity-50';

export function TileFace({ icon, label, badge, tone = 'plain' }: TileProps) {
  return (
    <>
      <span
        className={`relative flex size-12 items-center justify-center rounded-md shadow-low ring-1 ring-inset ${toneClasses[tone]}`}
      >
        {icon}
        {badge !== undefined && (
          <span className="amount absolute -top-2 left-3/4 min-w-6 rounded-full bg-gold px-1.5 text-xs font-bold text-well shadow-low">
            {badge}
          </span>
        )}
      </span>
      {/* On narrow tiles the label reserves two lines, so that a change of label moves nothing. */}
      <span className="text-sm leading-normal font-medium text-balance max-[24rem]:min-h-[3em]">{label}</span>
    </>
  );
}

/** Placeholder of a tile while its action is unknown. */
export function TileSkeleton() {
  return (
    <div aria-busy="true" className={`${tileClass} pointer-events-none`}>
      <Skeleton className="size-12 rounded-md!" />
      <Skeleton className="h-[1.4rem] w-16 max-[24rem]:h-[2.8rem]" />
    </div>
  );
}

/** Button of the home page for one action. */
export function Tile({ onClick, disabled, ...face }: TileButtonProps) {
  return (
    <button type="button" onClick={onClick} disabled={disabled} className={tileClass}>
      <TileFace {...face} />
    </button>
  );
}
