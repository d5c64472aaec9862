import { call } from '../api/call.ts';
import { leaveToTerminated } from '../routing/navigation.ts';

/** Sets `data-terminated` on the body: the site is closed. */
export function markTerminated(isTerminated: boolean): void {
  if (isTerminated) document.body.dataset.terminated = 'gone';
  else delete document.body.dataset.terminated;
}

/** Checks whether the site is closed: then opens /terminated, else clears the marker. A failure changes nothing. */
export async function checkSiteStatus(): Promise<void> {
  try {
    const { terminated } = await call('GET /api/lookup/active', { quiet: true });
    if (terminated === 'gone') leaveToTerminated();
    else markTerminated(false);
  } catch {
    // Unknown is treated as open.
  }
}
