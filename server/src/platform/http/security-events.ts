/** Calls whose outcome says something about the security of an account, by method and route. */
const CALLS: Readonly<Record<string, string>> = {
  'POST /api/login': 'login',
  'POST /api/logout': 'logout',
  'POST /api/otp/send': 'code.send',
  'POST /api/otp/verify': 'code.verify',
  'POST /api/account': 'account.register',
  'PUT /api/account/changepwd': 'password.change',
  'PUT /api/account/bankAccountName': 'bank-account.rename',
  'GET /api/wallet/account/:slotCode': 'game-password.reveal',
  'GET /api/wallet/resetpassword/:slotCode': 'game-password.change',
};
/** For every other call of the API. */
const BY_STATUS: Readonly<Record<number, string>> = { 401: 'session.refused', 429: 'limit.reached' };

/** Every name that the field `security` of a log line can have; docs/runbooks/logs.md describes them. */
export const securityEvents: readonly string[] = [
  ...Object.values(CALLS).flatMap((call) => [`${call}.accepted`, `${call}.refused`]),
  ...Object.values(BY_STATUS),
];
/** The calls among them, each a route of the API. */
export const securityCalls: readonly string[] = Object.keys(CALLS);

/** The security event that a call with this outcome is; undefined for most. A defect (5xx) is none. */
export function securityEventOf(method: string, route: string | undefined, status: number): string | undefined {
  const call = CALLS[`${method} ${route ?? ''}`];
  if (call === undefined || status === 429) return BY_STATUS[status];
  if (status >= 500) return undefined;
  return `${call}.${status < 400 ? 'accepted' : 'refused'}`;
}
