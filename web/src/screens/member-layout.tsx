import { QueryClientProvider } from '@tanstack/react-query';
import { useEffect, useSyncExternalStore, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useLocation } from 'wouter';
import { navigate } from 'wouter/use-browser-location';
import { call } from '../api/call.ts';
import { startMemberEvents } from '../api/query/member-events.ts';
import { apiQuery, invalidate, queryClient } from '../api/query/query.ts';
import { onOtherTabSession, onSessionEnd, storedToken, clearSession } from '../api/session.ts';
import { i18n } from '../i18n/i18n.ts';
import { leaveToLogin, reloadForOtherSession, useLazyModule } from '../routing/navigation.ts';
import { DialogBoundary } from '../shared/dialog-boundary.tsx';
import { startConditionToasts } from '../shared/ended-conditions.ts';
import { useLazyDialog } from '../shared/lazy-dialog.ts';
import { Frame, LanguageMenu, MenuLink, menuEntryClass, useAppName } from '../shell/frame.tsx';
import { IconButton } from '../ui/core/icon-button.tsx';
import { ContactIcon, HomeIcon, UserIcon } from '../ui/core/icons.tsx';
import { ConditionsIcon, LogoutIcon, StatementIcon } from '../ui/data/member-icons.tsx';
import { NeedsConnection } from './needs-connection.tsx';
import { loadAside, startAside } from './start-aside.ts';

/** Loads the conditions modal on demand: no page renders it initially. */
const loadConditions = async () => (await import('./conditions-modal.tsx')).ConditionsModal;

/** Without its chunk, the logout asks nothing. */
const loadLogoutQuestion = async (_pendingCount: number) => {
  try {
    return (await loadAside()).LogoutQuestion;
  } catch (failure) {
    void logOut();
    throw failure;
  }
};

/** Pending items as last shown by the strip. */
const countPending = (): number => {
  const pending = queryClient.getQueryData(apiQuery('GET /api/pending', { quiet: true }).queryKey);
  return pending ? pending.items.length + pending.more : 0;
};

/** Query scopes whose replies contain operator texts in the current language. */
const TRANSLATED_SCOPES = ['wallet', 'bonus', 'refund', 'invite', 'spinwheel', 'statement'];

function refetchOnLanguageChange(): () => void {
  const refetchTranslated = (): void => void invalidate(...TRANSLATED_SCOPES);
  i18n.on('languageChanged', refetchTranslated);
  return () => i18n.off('languageChanged', refetchTranslated);
}

const hasSession = (): boolean => storedToken() !== null;
/** During hydration the layout renders as logged in, as in the prerendered page. */
const isPrerendered = (): boolean => true;

/**
 * Layout of the member pages. Owns the query cache and the event socket. When the session ends, the content is removed
 * immediately, before the next screen has loaded.
 */
export function MemberLayout({ children }: { children: ReactNode }) {
  const { t } = useTranslation('common');
  const { opened: conditions, open: openConditions, close: closeConditions } = useLazyDialog(loadConditions);
  const { opened: question, open: askToLogOut, close: closeQuestion } = useLazyDialog(loadLogoutQuestion);
  const pressLogout = (): void => {
    const pendingCount = countPending();
    if (pendingCount > 0) askToLogOut(pendingCount);
    else void logOut();
  };
  const name = useAppName();
  const isLoggedIn = useSyncExternalStore(onSessionEnd, hasSession, isPrerendered);
  useEffect(() => startMemberEvents(), []);
  useEffect(() => startConditionToasts(), []);
  useEffect(() => onOtherTabSession({ onEnd: leaveToLogin, onOtherSession: reloadForOtherSession }), []);
  useEffect(refetchOnLanguageChange, []);
  const topBarTools = (
    <>
      <LanguageMenu />
      <IconButton label={t('logout')} onClick={pressLogout}>
        <LogoutIcon />
      </IconButton>
    </>
  );
  return (
    <QueryClientProvider client={queryClient}>
      <Frame
        name={name}
        tools={topBarTools}
        // As a ref, it starts with the top bar, and the function it returns is the clean-up.
        toolsRef={isLoggedIn ? startAside : undefined}
        menu={<MemberMenu onConditions={openConditions} />}
      >
        {isLoggedIn && <NeedsConnection />}
        {isLoggedIn && children}
      </Frame>
      {isLoggedIn && <LazyMoneyToasts />}
      {isLoggedIn && conditions && (
        <DialogBoundary sectionName="dialog conditions" onClose={closeConditions}>
          <conditions.loaded onClose={closeConditions} />
        </DialogBoundary>
      )}
      {isLoggedIn && question && (
        <DialogBoundary sectionName="dialog logout" onClose={closeQuestion}>
          <question.loaded pendingCount={question.input} onLogout={() => void logOut()} onClose={closeQuestion} />
        </DialogBoundary>
      )}
    </QueryClientProvider>
  );
}

/** Toasts about money movements. The chunk loads after the first paint. */
function LazyMoneyToasts() {
  // If the chunk fails to load, only the toasts are missing: pages still refresh their amounts.
  const { loadedModule } = useLazyModule(loadAside, { isOptional: true });
  return loadedModule && <loadedModule.MoneyToasts />;
}

/**
 * Menu of the member pages: home and four other entries. On phones it is a bottom bar with the home button in the middle,
 * inside the bar, so that it covers nothing of the page.
 */
function MemberMenu({ onConditions }: { onConditions: () => void }) {
  const { t } = useTranslation('common');
  const [path] = useLocation();
  return (
    <>
      <Link href="/user/home" aria-current={path === '/user/home' ? 'page' : undefined} className={menuEntryClass}>
        <span className="menu-home -my-1.5 flex size-14 items-center justify-center rounded-full bg-lacquer text-on-lacquer shadow-low ring-2 ring-gold ring-inset group-aria-[current]:bg-lacquer-lit lg:my-0 lg:size-9">
          <HomeIcon className="size-7 lg:size-5" />
        </span>
        <span className="py-0.5 leading-normal">{t('menu.home')}</span>
      </Link>
      <MenuLink href="/user/profile" icon={<UserIcon />} className="max-lg:-order-1">
        {t('menu.profile')}
      </MenuLink>
      <button
        type="button"
        aria-haspopup="dialog"
        onClick={onConditions}
        onPointerEnter={() => void loadConditions().catch(() => undefined)}
        className={`${menuEntryClass} max-lg:-order-1`}
      >
        <ConditionsIcon />
        <span className="py-0.5 leading-normal">{t('menu.conditions')}</span>
      </button>
      <MenuLink href="/user/statement" icon={<StatementIcon />}>
        {t('menu.statement')}
      </MenuLink>
      <MenuLink href="/user/contact" icon={<ContactIcon />}>
        {t('menu.contact')}
      </MenuLink>
    </>
  );
}

/** Ends the session in the browser and on the server; does not wait for the server's reply. */
export async function logOut(): Promise<void> {
  const logoutReply = storedToken() ? call('POST /api/logout', { quiet: true }) : undefined;
  clearSession();
  navigate('/login');
  await logoutReply?.catch(() => undefined);
}
