import { isLanguage, languages } from '@krapao/contract/languages';
import type { ReactNode, Ref } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useLocation } from 'wouter';
import { useOperatorData } from '../api/operator-data.ts';
import { APP_NAME } from '../browser/variant.ts';
import { currentLanguage } from '../i18n/i18n.ts';
import { chooseLanguage } from '../i18n/language.ts';
import { handleChunkError } from '../routing/navigation.ts';
import { prefetch } from '../routing/router.ts';
import { ChevronDownIcon, LanguageIcon } from '../ui/core/icons.tsx';
import { Logo } from '../ui/core/logo.tsx';

export type FrameProps = {
  /** The operator's name. */
  name: string;
  /** Content at the right end of the top bar. */
  tools: ReactNode;
  toolsRef?: Ref<HTMLDivElement> | undefined;
  /** Menu entries: at the bottom on phones, at the side on wide screens. */
  menu: ReactNode;
  children: ReactNode;
};

/** Page frame of the public and the member layout: top bar, menu and content. */
export function Frame({ name, tools, toolsRef, menu, children }: FrameProps) {
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
          {/* A long name wraps to a second line. */}
          <span
            translate="no"
            className={name.length > 10 ? 'min-w-0 text-base leading-tight narrow:text-xs' : 'min-w-0'}
          >
            {name}
          </span>
        </p>
        <div ref={toolsRef} className="flex shrink-0 items-center gap-2">
          {tools}
        </div>
      </header>
      <nav aria-label={t('menu.label')} className="menu">
        {menu}
      </nav>
      <main
        id="content"
        tabIndex={-1}
        className="mx-auto w-full max-w-6xl px-4 narrow:px-2 pt-5 pb-[calc(5.5rem+env(safe-area-inset-bottom))] lg:px-8 lg:pt-8 lg:pb-12"
      >
        {children}
      </main>
    </div>
  );
}

/** Class of a menu entry: icon above text on phones, icon beside text on wide screens. */
export const menuEntryClass = 'menu-entry group';

export type MenuLinkProps = { href: string; icon: ReactNode; className?: string; children: ReactNode };

/** Menu entry that links to a page and is marked on the current page. Preloads the page's screen on hover and focus. */
export function MenuLink({ href, icon, className = '', children }: MenuLinkProps) {
  const [path] = useLocation();
  return (
    <Link
      href={href}
      aria-current={path === href ? 'page' : undefined}
      onPointerEnter={() => prefetch(href)}
      onFocus={() => prefetch(href)}
      className={`${menuEntryClass} ${className}`}
    >
      {icon}
      <span className="py-0.5 leading-normal">{children}</span>
    </Link>
  );
}

/** Native select for the language; each language is written in its own script. */
export function LanguageMenu() {
  const { t } = useTranslation('common');
  return (
    <label className="relative inline-flex min-h-11 items-center rounded-md text-muted outline-offset-2 outline-gold-lit hover:bg-raised hover:text-ivory has-focus-visible:outline-2">
      <span
        aria-hidden="true"
        className="flex items-center gap-1.5 px-1 text-sm font-medium min-[24rem]:gap-2 min-[24rem]:px-3"
      >
        <LanguageIcon className="size-5 max-[24rem]:hidden narrow:block" />
        <span className="narrow:hidden">{t(`language.${currentLanguage()}`)}</span>
        <ChevronDownIcon className="size-4 narrow:hidden" />
      </span>
      {/* The native select is invisible above the visible text. Its font is the system font: the options would load the fonts of all scripts. */}
      <select
        aria-label={t('language.label')}
        // Disables form restoration by browsers, which would select the previous language.
        autoComplete="off"
        value={currentLanguage()}
        onChange={({ target }) => {
          if (isLanguage(target.value)) chooseLanguage(target.value).catch(handleChunkError);
        }}
        className="absolute inset-0 w-full appearance-none bg-panel font-[system-ui] text-base text-ivory opacity-0"
      >
        {languages.map((language) => (
          <option key={language} value={language}>
            {t(`language.${language}`)}
          </option>
        ))}
      </select>
    </label>
  );
}

/** The operator's name; the product's name while it loads. */
export const useAppName = (): string => useOperatorData('GET /api/lookup/info', true).data?.name || APP_NAME;
