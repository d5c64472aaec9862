import { commonErrors, type Endpoint, memberErrors } from './endpoint.ts';
import { type ErrorCode, errorStatus } from './errors.ts';

/** A malformed body, one that is too large, or of another type than JSON. */
const BODY_STATUSES = [400, 413, 415] as const;
/** No form, a form without exactly one file that we take, or another type. The code of the file says when it is too large. */
const UPLOAD_STATUSES = [400, 415] as const;
/** A path that can't be decoded, or with a part that is too long: refused before the call is known. */
const PATH_FAILURES: [status: number, code: ErrorCode][] = [
  [400, 'NO_DATA'],
  [414, 'NO_DATA'],
];
/** Overload, or the database is unavailable: any call may answer so. */
const BUSY: [status: number, code: ErrorCode] = [503, 'REQUEST_LIMIT'];

/** The codes that a call can fail with, by HTTP status. The OpenAPI document lists them; `replyFault` expects them. */
export function declaredFailures(endpoint: Endpoint): Map<number, ErrorCode[]> {
  const codes: ErrorCode[] = [...endpoint.errors, endpoint.malformed, ...commonErrors];
  if (endpoint.access !== 'public') codes.push(...memberErrors);
  const declared: [status: number, code: ErrorCode][] = codes.map((code) => [errorStatus[code], code]);
  // Whatever status the code of a malformed call has elsewhere, a body is refused with these, an unwanted body too.
  if (endpoint.method !== 'GET') {
    const statuses = endpoint.upload ? UPLOAD_STATUSES : BODY_STATUSES;
    declared.push(...statuses.map((status): [number, ErrorCode] => [status, endpoint.malformed]));
  }
  if (endpoint.params) declared.push(...PATH_FAILURES);
  for (const [status, sent] of Object.entries(endpoint.alsoSent ?? {})) {
    declared.push(...sent.map((code): [number, ErrorCode] => [Number(status), code]));
  }
  declared.push(BUSY);
  const byStatus = new Map<number, Set<ErrorCode>>();
  for (const [status, code] of declared) byStatus.set(status, (byStatus.get(status) ?? new Set()).add(code));
  return new Map([...byStatus].map(([status, set]) => [status, [...set]]));
}
