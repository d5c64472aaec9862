import { call } from '../api/call.ts';
import { leaveToTerminated } from '../routing/navigation.ts';

/** Sets or removes `data-terminated` on the body, which marks a closed site. */
export function markTerminated(isTerminated: boolean): void {
  if (isTerminated) document.body.dataset.terminated = 'gone';
  else delete document.body.dataset.terminated;
}

/**
 * Checks whether the site is closed. If so, opens /terminated; otherwise removes the mark. A failed check changes
 * nothing.
 */
export async function checkSiteStatus(): Promise<void> {
  try {
    const { terminated } = await call('GET /api/lookup/active', { quiet: true });
    if (terminated === 'gone') leaveToTerminated();
    else markTerminated(false);
  } catch {
    // After a failure the site counts as open.
  }
}
