import { SectionBoundary } from '../../shell/error-boundary.tsx';
import { mountDetached } from '../../shared/detached-root.tsx';
import { PendingStrip } from './pending-strip.tsx';

/** Mounts what stays beside every member page. @returns unmount function */
export const mountAside = (): (() => void) =>
  mountDetached(
    <SectionBoundary sectionName="pending strip">
      <PendingStrip />
    </SectionBoundary>,
  );
