import { useEffect, useRef, useSyncExternalStore } from 'react';
import { useTranslation } from 'react-i18next';
import { Router } from 'wouter';
import { onPendingChange, pendingCalls } from './api/pending.ts';
import { APP_NAME } from './brand.ts';
import { useScreen, useScreenPath } from './routing/screen.ts';
import { PartBoundary } from './shared/errors/error-boundary.tsx';
import { Loader } from './ui/overlay/loader.tsx';
import { OfflineBanner } from './ui/overlay/offline-banner.tsx';
import { ToastRegion } from './ui/overlay/toast.tsx';

/**
 * The screen that the address asks for, and what lies over every screen.
 * @param onMounted called when it has come to life
 */
export function App({ onMounted }: { onMounted?: () => void }) {
  const screen = useScreen();
  useEffect(() => onMounted?.(), [onMounted]);
  if (!screen) return null;
  const { Layout, Page, path } = screen;
  return (
    <Router hook={useScreenPath}>
      <PartBoundary part="app">
        <OfflineBanner />
        <PartBoundary part={`layout ${screen.route.shell}`} key={screen.route.shell}>
          <Layout>
            <PartBoundary part={path} key={path}>
              <Page />
            </PartBoundary>
          </Layout>
        </PartBoundary>
        <Arrival />
        <PendingLoader />
        <ToastRegion />
      </PartBoundary>
    </Router>
  );
}

/** On a new screen: its title, its top, and focus at its beginning, where a screen reader goes on. */
function Arrival() {
  const { t } = useTranslation('common');
  const screen = useScreen();
  const isFirst = useRef(true);
  const title = screen ? t(`title.${screen.route.title}`) : '';
  useEffect(() => {
    document.title = screen?.route.shell === 'bare' ? title : `${title} · ${APP_NAME}`;
  }, [title, screen?.route.shell]);
  useEffect(() => {
    if (!isFirst.current) {
      scrollTo(0, 0);
      document.getElementById('content')?.focus({ preventScroll: true });
    }
    isFirst.current = false;
  }, [screen?.path]);
  return null;
}

function PendingLoader() {
  const pending = useSyncExternalStore(onPendingChange, pendingCalls, () => 0);
  return <Loader pending={pending > 0} />;
}
