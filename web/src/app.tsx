import { useEffect, useRef, useSyncExternalStore } from 'react';
import { useTranslation } from 'react-i18next';
import { Router } from 'wouter';
import { onPendingChange, pendingCalls } from './api/call.ts';
import { APP_NAME } from './browser/variant.ts';
import { useScreen, useScreenPath } from './routing/router.ts';
import { SectionBoundary } from './shell/error-boundary.tsx';
import { Loader } from './ui/core/loader.tsx';
import { OfflineBanner } from './ui/core/offline-banner.tsx';
import { ToastRegion } from './ui/core/toast.tsx';

/**
 * Renders the screen of the current URL and the layers above every screen.
 * @param onMounted called after hydration
 */
export function App({ onMounted }: { onMounted?: () => void }) {
  const screen = useScreen();
  useEffect(() => onMounted?.(), [onMounted]);
  if (!screen) return null;
  const { Layout, Page, path } = screen;
  return (
    <Router hook={useScreenPath}>
      <SectionBoundary sectionName="app">
        <OfflineBanner />
        <SectionBoundary sectionName={`layout ${screen.route.shell}`} key={screen.route.shell}>
          <Layout>
            <SectionBoundary sectionName={path} key={path}>
              <Page />
            </SectionBoundary>
          </Layout>
        </SectionBoundary>
        <ScreenChangeEffects />
        <PendingLoader />
        <ToastRegion />
      </SectionBoundary>
    </Router>
  );
}

/** On each new screen: sets the title, scrolls to the top, and focuses the start of the screen for screen readers. */
function ScreenChangeEffects() {
  const { t } = useTranslation('common');
  const screen = useScreen();
  const isFirstScreen = useRef(true);
  const title = screen ? t(`title.${screen.route.title}`) : '';
  useEffect(() => {
    document.title = screen?.route.shell === 'bare' ? title : `${title} · ${APP_NAME}`;
  }, [title, screen?.route.shell]);
  useEffect(() => {
    if (!isFirstScreen.current) {
      scrollTo(0, 0);
      document.getElementById('content')?.focus({ preventScroll: true });
    }
    isFirstScreen.current = false;
  }, [screen?.path]);
  return null;
}

function PendingLoader() {
  const pendingCount = useSyncExternalStore(onPendingChange, pendingCalls, () => 0);
  return <Loader pending={pendingCount > 0} />;
}
