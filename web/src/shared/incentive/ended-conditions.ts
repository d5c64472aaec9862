import { i18n } from '../../i18n/i18n.ts';
import { loadWords } from '../../i18n/load-words.ts';
import { toast } from '../../ui/overlay/toast-store.ts';
import type { Reply } from '../../api/endpoint-types.ts';
import { onMemberEvent } from '../../api/member-events.ts';
import { apiQuery, queryClient } from '../../api/query.ts';
import { serverNow } from '../../api/server-clock.ts';

/** A condition that ended by itself. */
export type Ending = Reply<'GET /api/bonus/ended'>[number];

export const endingsQuery = apiQuery('GET /api/bonus/ended', { quiet: true });

/** Which condition ended, and how, in words. Those of `incentive` must be loaded. */
export function endingText({ kind, name, how }: Ending): string {
  return i18n.t(`incentive:${how}`, { what: i18n.t(`incentive:what.${kind}`, { name }) });
}

/** What ended this long before the page was there is news too. */
const JUST_BEFORE_MS = 5_000;

/**
 * Says what ends by itself while the app is open, on whatever page one is.
 * @returns ends it
 */
export function startEndingNews(): () => void {
  const since = serverNow() - JUST_BEFORE_MS;
  const told = new Set<string>();
  let asked: 'no' | 'once' | 'again' = 'no';
  const ask = async (): Promise<void> => {
    if (asked !== 'no') return void (asked = 'again');
    asked = 'once';
    try {
      const [endings] = await Promise.all([
        queryClient.query({ ...endingsQuery, staleTime: 0 }),
        loadWords(['incentive']),
      ]);
      for (const ending of endings.toReversed()) {
        if (told.has(ending.reference) || Date.parse(ending.endedAt) < since) continue;
        told.add(ending.reference);
        toast[ending.how === 'SUCCESS' ? 'success' : 'info'](endingText(ending));
      }
    } catch {
      // The bonus page says it too.
    }
    const isOld = (asked as string) === 'again';
    asked = 'no';
    if (isOld) void ask();
  };
  // What is won and lost ends conditions; so does their time.
  return onMemberEvent(({ kind }) => {
    if (kind === 'bonus' || kind === 'play') void ask();
  });
}
