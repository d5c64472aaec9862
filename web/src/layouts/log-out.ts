import { navigate } from 'wouter/use-browser-location';
import { call } from '../api/call.ts';
import { clearSession, storedToken } from '../api/session.ts';

/** Ends the session on both sides. The member leaves at once: a server that can't be reached doesn't hold them here. */
export async function logOut(): Promise<void> {
  const ended = storedToken() ? call('POST /api/logout', { quiet: true }) : undefined;
  clearSession();
  navigate('/login');
  await ended?.catch(() => undefined);
}
