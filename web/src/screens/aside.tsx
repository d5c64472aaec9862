import { STORAGE } from '@krapao/contract/constants';
import { readStored } from '../browser/storage.ts';
import { startInstall } from '../features/install/start-install.ts';
import { PendingStrip } from '../features/money/pending-strip.tsx';
import { NoticeToasts } from '../features/notification/notice-toasts.ts';
import { mountDetached } from '../shared/detached-root.tsx';
import { SectionBoundary } from '../shell/error-boundary.tsx';

// In this chunk because every member page loads it, and each file is a request.
export { MoneyToasts } from './money-toasts.ts';
export { Bell } from '../features/notification/bell.tsx';
export { LogoutQuestion } from './logout-question.tsx';

const IDLE_DELAY_MS = 1_500;

/**
 * Mounts what stays beside every member page: the strip of open items, and toasts about notices.
 * @param tools element of the top bar, in which the collapsed strip is shown
 * @returns unmount function
 */
export function mountAside(tools: HTMLElement): () => void {
  const timer = setTimeout(() => void startIdleTasks().catch(() => undefined), IDLE_DELAY_MS);
  const unmount = mountDetached(
    <>
      <SectionBoundary sectionName="pending strip">
        <PendingStrip tools={tools} />
      </SectionBoundary>
      <SectionBoundary sectionName="notice toasts">
        <NoticeToasts />
      </SectionBoundary>
    </>,
  );
  return () => {
    clearTimeout(timer);
    unmount();
  };
}

/** Starts what a member page needs last: offers of updates and of the installation, and push messages. */
async function startIdleTasks(): Promise<void> {
  startInstall();
  // Most browsers have no subscription and load no code for it.
  if (readStored(STORAGE.push) !== null) await (await import('../shared/push.ts')).resumePush();
}
