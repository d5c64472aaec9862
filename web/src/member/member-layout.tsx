import { QueryClientProvider } from '@tanstack/react-query';
import { type ComponentType, useEffect, useState, useSyncExternalStore, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useLocation } from 'wouter';
import { DialogBoundary } from '../shared/dialog-boundary.tsx';
import { startConditionToasts } from './ended-conditions.ts';
import { invalidate, queryClient } from '../api/query/query.ts';
import { startMemberEvents } from '../api/query/member-events.ts';
import { beginPending, call } from '../api/call.ts';
import { onOtherTabSession, onSessionEnd, storedToken, clearSession } from '../api/session.ts';
import { i18n } from '../i18n/i18n.ts';
import { handleChunkError, leaveToLogin } from '../routing/navigation.ts';
import { IconButton } from '../ui/core/icon-button.tsx';
import { ContactIcon, HomeIcon, UserIcon } from '../ui/core/icons.tsx';
import { ConditionsIcon, LogoutIcon, StatementIcon } from '../ui/data/member-icons.tsx';
import type { ConditionsModalProps } from '../screens/conditions-modal.tsx';
import { Frame, LanguageMenu, MenuLink, menuEntryClass, useAppName } from '../shell/frame.tsx';
import { navigate } from 'wouter/use-browser-location';

/** Loads on demand with its modal: no page needs them initially. */
const loadConditions = () => import('../screens/conditions-modal.tsx');

/** Scopes whose replies contain operator texts in the caller's language. */
const IN_WORDS = ['wallet', 'bonus', 'refund', 'invite', 'spinwheel', 'statement'];

function followLanguage(): () => void {
  const askAgain = (): void => void invalidate(...IN_WORDS);
  i18n.on('languageChanged', askAgain);
  return () => i18n.off('languageChanged', askAgain);
}

/** Calls now carry another session's token: nothing of the previous one may stay, in memory or on the screen. */
const beginAnew = (): void => location.reload();

const hasSession = (): boolean => storedToken() !== null;
/** The prerendered page is a member's page. */
const isPrerendered = (): boolean => true;

/**
 * Layout of the member pages: owns the query cache and the socket of events. When the session ends, the content is
 * removed immediately, before the next screen has loaded.
 */
export function MemberLayout({ children }: { children: ReactNode }) {
  const { t } = useTranslation('common');
  const [Conditions, setConditions] = useState<ComponentType<ConditionsModalProps>>();
  const name = useAppName();
  const isLoggedIn = useSyncExternalStore(onSessionEnd, hasSession, isPrerendered);
  useEffect(() => startMemberEvents(), []);
  useEffect(() => startConditionToasts(), []);
  useEffect(() => onOtherTabSession({ onEnd: leaveToLogin, onOther: beginAnew }), []);
  useEffect(followLanguage, []);
  const closeConditions = (): void => setConditions(undefined);
  const showConditions = async (): Promise<void> => {
    const end = beginPending();
    try {
      const { ConditionsModal } = await loadConditions();
      setConditions(() => ConditionsModal);
    } catch (failure) {
      handleChunkError(failure);
    } finally {
      end();
    }
  };
  const tools = (
    <>
      <LanguageMenu />
      <IconButton label={t('logout')} onClick={() => void logOut()}>
        <LogoutIcon />
      </IconButton>
    </>
  );
  return (
    <QueryClientProvider client={queryClient}>
      <Frame name={name} tools={tools} menu={<MemberMenu onConditions={() => void showConditions()} />}>
        {isLoggedIn && children}
      </Frame>
      {isLoggedIn && <LaterMoneyToasts />}
      {isLoggedIn && Conditions && (
        <DialogBoundary part="dialog conditions" onClose={closeConditions}>
          <Conditions onClose={closeConditions} />
        </DialogBoundary>
      )}
    </QueryClientProvider>
  );
}

/** Toasts about money; loaded after the first paint, which doesn't need them. */
function LaterMoneyToasts() {
  const [News, setNews] = useState<ComponentType>();
  useEffect(() => {
    // Without this chunk, the pages still refresh their figures.
    import('./money-toasts.ts').then(
      ({ MoneyToasts }) => setNews(() => MoneyToasts),
      () => undefined,
    );
  }, []);
  return News && <News />;
}

/** Home and four other entries. On phones a bottom bar with a large home button in the middle. */
function MemberMenu({ onConditions }: { onConditions: () => void }) {
  const { t } = useTranslation('common');
  const [path] = useLocation();
  return (
    <>
      <Link href="/user/home" aria-current={path === '/user/home' ? 'page' : undefined} className={menuEntryClass}>
        <span className="-mt-7 flex size-15 items-center justify-center rounded-full bg-lacquer text-ivory shadow-high ring-2 ring-gold group-aria-[current]:bg-lacquer-lit lg:mt-0 lg:size-9">
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

/** Ends the session in the browser and on the server, without waiting for the server. */
export async function logOut(): Promise<void> {
  const ended = storedToken() ? call('POST /api/logout', { quiet: true }) : undefined;
  clearSession();
  navigate('/login');
  await ended?.catch(() => undefined);
}
