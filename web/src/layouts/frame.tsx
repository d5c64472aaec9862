import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Logo } from '../ui/art/logo.tsx';

export type FrameProps = {
  /** The operator's name. */
  name: string;
  /** At the right of the top bar. */
  tools: ReactNode;
  /** Entries of the menu: at the bottom of phones, on the side of wide screens. */
  menu: ReactNode;
  children: ReactNode;
};

/** Top bar, menu and content: the skeleton of both layouts. */
export function Frame({ name, tools, menu, children }: FrameProps) {
  const { t } = useTranslation('common');
  return (
    <div className="frame weave-fade">
      <a
        href="#content"
        className="absolute top-2 left-2 z-40 flex min-h-11 -translate-y-20 items-center rounded-md bg-gold px-4 font-semibold text-well focus:translate-y-0"
      >
        {t('menu.skip')}
      </a>
      <header className="sticky top-0 z-20 flex h-16 items-center justify-between gap-2 border-b border-line bg-ground/95 px-4 narrow:px-2 lg:col-span-2 lg:px-6">
        <p className="flex min-w-0 items-center gap-2.5 text-lg font-bold tracking-wide text-gold-lit narrow:gap-1.5 narrow:text-sm narrow:tracking-normal">
          <Logo />
          {/* A long name takes a second line rather than lose its end. */}
          <span
            translate="no"
            className={name.length > 10 ? 'min-w-0 text-base leading-tight narrow:text-xs' : 'min-w-0'}
          >
            {name}
          </span>
        </p>
        <div className="flex shrink-0 items-center gap-1">{tools}</div>
      </header>
      <nav aria-label={t('menu.label')} className="menu">
        {menu}
      </nav>
      <main
        id="content"
        tabIndex={-1}
        className="mx-auto w-full max-w-6xl px-4 narrow:px-2 pt-5 pb-[calc(6.5rem+env(safe-area-inset-bottom))] lg:px-8 lg:pt-8 lg:pb-12"
      >
        {children}
      </main>
    </div>
  );
}
