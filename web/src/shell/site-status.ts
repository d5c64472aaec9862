import { call } from '../api/call.ts';
import { leaveToTerminated } from '../routing/navigation.ts';

/** The marker on the body (`data-terminated`) that the site has been found gone. */
export function markTerminated(isTerminated: boolean): void {
  if (isTerminated) document.body.dataset.terminated = 'gone';
  else delete document.body.dataset.terminated;
}

/** Asks whether the site is gone: then leaves to /terminated, else clears the marker. No answer changes nothing. */
export async function checkSiteStatus(): Promise<void> {
  try {
    const { terminated } = await call('GET /api/lookup/active', { quiet: true });
    if (terminated === 'gone') leaveToTerminated();
    else markTerminated(false);
  } catch {
    // Not knowing is no reason to close the door.
  }
}
