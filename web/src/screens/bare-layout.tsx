import type { ReactNode } from 'react';
import { LanguageMenu } from '../shell/frame.tsx';
import { Logo } from '../ui/core/logo.tsx';

/** Layout of error pages: no menu and no session. */
export function BareLayout({ children }: { children: ReactNode }) {
  return (
    <div className="weave-fade flex min-h-dvh flex-col">
      <header className="flex h-16 items-center justify-between px-4">
        <Logo />
        <LanguageMenu />
      </header>
      <main id="content" tabIndex={-1} className="mx-auto flex w-full max-w-xl grow flex-col justify-center px-4 pb-24">
        {children}
      </main>
    </div>
  );
}
