import { useEffect } from 'react';
import type { MemberEvent } from '@krapao/contract/events';

type Kind = MemberEvent['kind'];

const shown = new Set<readonly Kind[]>();

/**
 * While mounted, marks outcomes of these kinds as shown by a dialog, so that no toast repeats them.
 * @param kinds the same array at each render
 */
export function useShownOutcomes(kinds: readonly Kind[]): void {
  useEffect(() => {
    shown.add(kinds);
    return () => void shown.delete(kinds);
  }, [kinds]);
}

/** Whether an open dialog shows outcomes of a kind. */
export const isOutcomeShown = (kind: Kind): boolean => [...shown].some((kinds) => kinds.includes(kind));
