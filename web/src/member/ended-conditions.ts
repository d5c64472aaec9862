import { i18n, loadNamespaces } from '../i18n/i18n.ts';
import { toast } from '../ui/core/toast.tsx';
import type { Reply } from '../api/types.ts';
import { onMemberEvent } from '../api/query/member-events.ts';
import { apiQuery, queryClient } from '../api/query/query.ts';
import { serverNow } from '../api/call.ts';

/** A condition that ended automatically. */
export type ConditionEnd = Reply<'GET /api/bonus/ended'>[number];

export const endedConditionsQuery = apiQuery('GET /api/bonus/ended', { quiet: true });

/** Text of how a condition ended. Needs the namespace `incentive`. */
export function conditionEndText({ kind, name, how }: ConditionEnd): string {
  return i18n.t(`incentive:${how}`, { what: i18n.t(`incentive:what.${kind}`, { name }) });
}

/** Conditions that ended this long before the page loaded are also reported. */
const JUST_BEFORE_MS = 5_000;

/**
 * Shows a toast for each condition that ends while the app is open, on every page.
 * @returns stop function
 */
export function startConditionToasts(): () => void {
  const since = serverNow() - JUST_BEFORE_MS;
  const shown = new Set<string>();
  let asked: 'no' | 'once' | 'again' = 'no';
  const ask = async (): Promise<void> => {
    if (asked !== 'no') return void (asked = 'again');
    asked = 'once';
    try {
      const [endings] = await Promise.all([
        queryClient.query({ ...endedConditionsQuery, staleTime: 0 }),
        loadNamespaces(['incentive']),
      ]);
      for (const ending of endings.toReversed()) {
        if (shown.has(ending.reference) || Date.parse(ending.endedAt) < since) continue;
        shown.add(ending.reference);
        toast[ending.how === 'SUCCESS' ? 'success' : 'info'](conditionEndText(ending));
      }
    } catch {
      // The bonus page lists it too.
    }
    const isOld = (asked as string) === 'again';
    asked = 'no';
    if (isOld) void ask();
  };
  // Conditions end by wins and losses, and by time.
  return onMemberEvent(({ kind }) => {
    if (kind === 'bonus' || kind === 'play') void ask();
  });
}
