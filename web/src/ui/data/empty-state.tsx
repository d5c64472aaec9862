import type { ReactNode } from 'react';

export type EmptyStateProps = {
  /** Illustration; an empty bag by default. */
  art?: ReactNode;
  /** One sentence that names the missing content. */
  title: string;
  /** How the member can fill the list. */
  text?: ReactNode;
  /** A button or link. */
  action?: ReactNode;
};

/** State of an empty list, with a next action. */
export function EmptyState({ art = <EmptyArt />, title, text, action }: EmptyStateProps) {
  return (
    <div className="flex flex-col items-center gap-3 px-4 py-8 text-center">
      {art}
      <p className="text-base font-semibold text-balance">{title}</p>
      {text && <p className="max-w-sm text-sm text-balance text-muted">{text}</p>}
      {action}
    </div>
  );
}

export function EmptyArt({ className = 'h-28 w-36' }: { className?: string }) {
  return (
    <svg viewBox="0 0 144 112" className={className} aria-hidden="true" focusable="false">
      <ellipse cx="72" cy="100" rx="52" ry="7" className="fill-well" />
      <path d="M34 44c6-30 70-30 76 0" fill="none" stroke="#8f6420" strokeWidth="5" strokeLinecap="round" />
      <path d="M28 44h88l9 48a6 6 0 0 1-6 7H25a6 6 0 0 1-6-7Z" fill="#311a2c" />
      <ellipse cx="72" cy="44" rx="44" ry="9" fill="#0e060d" stroke="#e6b860" strokeWidth="2.5" />
      <g fill="none" strokeLinecap="round" strokeWidth="5">
        <path d="M34 62h14M62 62h14M90 62h14M48 74h14M76 74h14M34 86h14M62 86h14M90 86h14" stroke="#533347" />
        <path d="M55 58v9M83 58v9M41 70v9M69 70v9M97 70v9M55 82v9M83 82v9" stroke="#8f6420" strokeOpacity=".55" />
      </g>
      <path d="m112 18 3 7 7 3-7 3-3 7-3-7-7-3 7-3Z" fill="#e6b860" />
      <path d="m26 20 2 4.5 4.5 2-4.5 2-2 4.5-2-4.5-4.5-2 4.5-2Z" fill="#8f6420" />
    </svg>
  );
}
