import { serverNow } from '../api/call.ts';
import { onMemberEvent } from '../api/query/member-events.ts';
import { apiQuery, queryClient } from '../api/query/query.ts';
import type { Reply } from '../api/types.ts';
import { i18n, loadNamespaces } from '../i18n/i18n.ts';
import { toast } from '../ui/core/toast.tsx';

/** A withdrawal condition that ended automatically. */
export type ConditionEnd = Reply<'GET /api/bonus/ended'>[number];

export const endedConditionsQuery = apiQuery('GET /api/bonus/ended', { quiet: true });

/** Text that explains why a condition ended. Needs the namespace `incentive`. */
export function conditionEndText({ kind, name, how }: ConditionEnd): string {
  return i18n.t(`incentive:${how}`, { what: i18n.t(`incentive:what.${kind}`, { name }) });
}

/** A condition that ended up to this long before the page loaded is also reported. */
const REPORTED_BEFORE_LOAD_MS = 5_000;

/**
 * While the app is open, shows a toast on any page for each condition that ends.
 * @returns function that stops the toasts
 */
export function startConditionToasts(): () => void {
  const sinceMs = serverNow() - REPORTED_BEFORE_LOAD_MS;
  const shownReferences = new Set<string>();
  let loadState: 'no' | 'once' | 'again' = 'no';
  const showNewEndings = async (): Promise<void> => {
    if (loadState !== 'no') return void (loadState = 'again');
    loadState = 'once';
    try {
      const [endings] = await Promise.all([
        queryClient.query({ ...endedConditionsQuery, staleTime: 0 }),
        loadNamespaces(['incentive']),
      ]);
      for (const ending of endings.toReversed()) {
        if (shownReferences.has(ending.reference) || Date.parse(ending.endedAt) < sinceMs) continue;
        shownReferences.add(ending.reference);
        toast[ending.how === 'SUCCESS' ? 'success' : 'info'](conditionEndText(ending));
      }
    } catch {
      // A failed load needs no message: the bonus page lists ended conditions too.
    }
    const mustReload = (loadState as string) === 'again';
    loadState = 'no';
    if (mustReload) void showNewEndings();
  };
  // Conditions end through bet results or by time; both cause one of these events.
  return onMemberEvent(({ kind }) => {
    if (kind === 'bonus' || kind === 'play') void showNewEndings();
  });
}
