import type { MemberEvent } from '@krapao/contract/events';
import { useEffect } from 'react';

type EventKind = MemberEvent['kind'];

const dialogKinds = new Set<readonly EventKind[]>();

/**
 * While mounted, registers event kinds whose outcomes a dialog shows, so that no toast repeats the outcome.
 * @param kinds must be the same array at each render
 */
export function useShownOutcomes(kinds: readonly EventKind[]): void {
  useEffect(() => {
    dialogKinds.add(kinds);
    return () => void dialogKinds.delete(kinds);
  }, [kinds]);
}

/** Whether an open dialog shows the outcomes of an event kind. */
export const isOutcomeShown = (kind: EventKind): boolean => [...dialogKinds].some((kinds) => kinds.includes(kind));
