import { navigate } from 'wouter/use-browser-location';
import { clearSession } from '../api/session.ts';
import { loginPath } from './remembered-target.ts';

/** The session is over: forget it and go to /login, remembering where the member was. */
export function leaveToLogin(): void {
  clearSession();
  if (location.pathname !== '/login')
    navigate(loginPath(location.pathname + location.search + location.hash), { replace: true });
}

/** The site is gone. */
export function leaveToTerminated(): void {
  if (location.pathname !== '/terminated') navigate('/terminated', { replace: true });
}
