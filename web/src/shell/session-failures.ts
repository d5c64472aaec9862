import { type ApiFailure, type FailureHandler, setFailureHandler } from '../api/errors.ts';
import { storedToken } from '../api/session.ts';
import { i18n, loadNamespaces } from '../i18n/i18n.ts';
import { leaveToLogin, leaveToTerminated } from '../routing/navigation.ts';
import { toast } from '../ui/core/toast.tsx';
import { failureText } from './error-text.ts';

const SESSION_OVER: readonly string[] = ['invalid-token', 'UNAUTHORIZED', 'EXPIRED_AUTH_TOKEN'];

/** A closed site and an ended session leave the page, whichever call detects it. */
const onFailure: FailureHandler['onFailure'] = async (failure, token, isVisitor) => {
  if (failure.message === 'gone') return leaveToTerminated();
  const hasWords = await loadNamespaces(['errors']).then(
    () => true,
    () => false,
  );
  if (isVisitor) return;
  const isIdentity = hasWords && failureText(failure) === i18n.t('errors:couldNotVerifyIdentity');
  if (isIdentity || SESSION_OVER.includes(failure.message)) await leaveEndedSession(failure, token);
};

/** Opens /login immediately, then shows the reason. A newer session of another token stays. */
async function leaveEndedSession(failure: ApiFailure, token: string | null): Promise<void> {
  if (token !== storedToken()) return;
  leaveToLogin();
  if (!token) return;
  await loadNamespaces(['errors']).catch(() => undefined);
  toast.info(failureText(failure));
}

/** Registers the handling of failures of all calls. Call it once, before the first call. */
export const handleFailures = (): void => setFailureHandler({ onFailure, onSessionEnded: leaveEndedSession });
