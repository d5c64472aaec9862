import { failureText } from '../api/error-text.ts';
import { type FailureHandler, setFailureHandler } from '../api/errors.ts';
import { storedToken } from '../api/session.ts';
import { i18n, loadNamespaces } from '../i18n/i18n.ts';
import { leaveToLogin, leaveToTerminated } from '../routing/navigation.ts';

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
  // Without a session it refuses a login.
  const isRestricted = failure.message === 'INVALID_USER_4' && token !== null;
  if (isIdentityFailure || isRestricted || SESSION_END_CODES.includes(failure.message)) leaveEndedSession(token);
};

/** Opens /login, which says that the session has ended. Does nothing if a newer session is stored. */
function leaveEndedSession(token: string | null): void {
  if (token === storedToken()) leaveToLogin(token !== null);
}

/** Registers the handlers for failures of all calls. Must run before the first call. */
export const handleFailures = (): void => setFailureHandler({ onFailure, onSessionEnded: leaveEndedSession });
