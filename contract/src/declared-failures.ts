import { commonErrors, type Endpoint, memberErrors } from './endpoint.ts';
import { type ErrorCode, errorStatus } from './errors.ts';

/** Statuses of a malformed body, a body that is too large, and a body other than JSON. */
const BODY_STATUSES = [400, 413, 415] as const;
/**
 * Statuses of a missing form, a form without exactly one acceptable file, and another content type. The code says when
 * the file is too large.
 */
const UPLOAD_STATUSES = [400, 415] as const;
/** A path that can't be decoded, or has a segment that is too long, is refused before routing. */
const PATH_FAILURES: [status: number, code: ErrorCode][] = [
  [400, 'NO_DATA'],
  [414, 'NO_DATA'],
];
/** Overload, or the database is unavailable: possible for any call. */
const BUSY_FAILURE: [status: number, code: ErrorCode] = [503, 'REQUEST_LIMIT'];

/** The codes that a call can fail with, by HTTP status. The OpenAPI document and `replyMismatch` use them. */
export function declaredFailures(endpoint: Endpoint): Map<number, ErrorCode[]> {
  const codes: ErrorCode[] = [...endpoint.errors, endpoint.malformed, ...commonErrors];
  if (endpoint.access !== 'public') codes.push(...memberErrors);
  const failures: [status: number, code: ErrorCode][] = codes.map((code) => [errorStatus[code], code]);
  // A malformed body is refused with these statuses, even if the code has another status elsewhere. So is an unwanted
  // body.
  if (endpoint.method !== 'GET') {
    const frameworkStatuses = endpoint.upload ? UPLOAD_STATUSES : BODY_STATUSES;
    failures.push(...frameworkStatuses.map((status): [number, ErrorCode] => [status, endpoint.malformed]));
  }
  if (endpoint.params) failures.push(...PATH_FAILURES);
  for (const [status, alsoSentCode] of Object.entries(endpoint.alsoSent ?? {})) {
    failures.push(...alsoSentCode.map((code): [number, ErrorCode] => [Number(status), code]));
  }
  failures.push(BUSY_FAILURE);
  const byStatus = new Map<number, Set<ErrorCode>>();
  for (const [status, code] of failures) byStatus.set(status, (byStatus.get(status) ?? new Set()).add(code));
  return new Map([...byStatus].map(([status, codes]) => [status, [...codes]]));
}
