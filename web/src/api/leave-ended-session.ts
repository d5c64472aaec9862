import { loadWords } from '../i18n/load-words.ts';
import { leaveToLogin } from '../routing/leave.ts';
import { toast } from '../ui/toast-store.ts';
import { type ApiFailure, failureText } from './failure.ts';
import { storedToken } from './session.ts';

/**
 * The server has ended a session: leaves to /login at once, then says why.
 * @param token of the ended session; one that has been replaced meanwhile is left alone
 */
export async function leaveEndedSession(failure: ApiFailure, token: string | null): Promise<void> {
  if (token !== storedToken()) return;
  leaveToLogin();
  if (!token) return;
  await loadWords(['errors']).catch(() => undefined);
  toast.info(failureText(failure));
}
