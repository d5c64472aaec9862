import { type ApiFailure, type FailureHandler, setFailureHandler } from '../api/errors.ts';
import { storedToken } from '../api/session.ts';
import { i18n, loadNamespaces } from '../i18n/i18n.ts';
import { leaveToLogin, leaveToTerminated } from '../routing/navigation.ts';
import { toast } from '../ui/core/toast.tsx';
import { failureText } from './error-text.ts';

const SESSION_END_CODES: readonly string[] = ['invalid-token', 'UNAUTHORIZED', 'EXPIRED_AUTH_TOKEN'];

/** Handles a failure of any call: a closed site or an ended session leaves the page. */
const onFailure: FailureHandler['onFailure'] = async (failure, token, isVisitor) => {
  if (failure.message === 'gone') return leaveToTerminated();
  const hasTexts = await loadNamespaces(['errors']).then(
    () => true,
    () => false,
  );
  if (isVisitor) return;
  const isIdentityFailure = hasTexts && failureText(failure) === i18n.t('errors:couldNotVerifyIdentity');
  if (isIdentityFailure || SESSION_END_CODES.includes(failure.message)) await leaveEndedSession(failure, token);
};

/** Opens /login immediately, then shows the reason. Does nothing if a newer session is stored. */
async function leaveEndedSession(failure: ApiFailure, token: string | null): Promise<void> {
  if (token !== storedToken()) return;
  leaveToLogin(token !== null);
  if (!token) return;
  await loadNamespaces(['errors']).catch(() => undefined);
  toast.info(failureText(failure));
}

/** Registers the handlers for failures of all calls. Must run before the first call. */
export const handleFailures = (): void => setFailureHandler({ onFailure, onSessionEnded: leaveEndedSession });
