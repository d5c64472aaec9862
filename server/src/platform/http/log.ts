import type { FastifyServerOptions } from 'fastify';
import type { LogLevel } from '../config.ts';
import { asUnavailable } from '../database/errors.ts';
import { Unavailable } from '../errors.ts';
import type { LogOutput } from '../start/rotating-file.ts';
import { requestOfEntry } from './tracing.ts';

const HIDDEN_VALUE = '[hidden]';

/**
 * Log options: lines of JSON without tokens, passwords, one-time codes and bodies.
 * @param loggedPath redacts the path of a request
 * @param stream default: standard output
 */
export function logOptions(
  level: LogLevel,
  loggedPath: PathRedactor['of'],
  stream: LogOutput = standardOutput(),
): NonNullable<FastifyServerOptions['logger']> {
  const secretFields = ['authorization', 'cookie', 'password', 'otp', 'otpToken', 'token', 'code', 'secret', 'key'];
  return {
    level,
    stream,
    // A request's own logger has its id already.
    mixin: (_fields, _level, logger) => ('reqId' in logger.bindings() ? {} : requestOfEntry()),
    redact: { paths: secretFields.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), censor: HIDDEN_VALUE },
    serializers: {
      req: (request: { method: string; url: string; ip: string }) => ({
        method: request.method,
        path: loggedPath(request.url),
        ip: request.ip,
      }),
      err: (error: Error & { code?: string }) => ({
        type: error.name,
        message: error.message,
        // A temporary outage is no defect: its stack has no information.
        stack: asUnavailable(error) instanceof Unavailable ? '' : (error.stack ?? ''),
        ...(error.code ? { sqlstate: error.code } : {}),
      }),
    },
  };
}

// Standard output that ignores errors: on a full disk log lines are lost, but the server continues.
function standardOutput(): NodeJS.WriteStream {
  const { stdout } = process;
  if (stdout.listenerCount('error') === 0) stdout.on('error', () => {});
  return stdout;
}

const REDACTED = '[hidden]';
const PARAM_SEGMENT = /^[:{]/;
const LITERAL_SEGMENT = /^[\w-]+$/;

export type PathRedactor = {
  /**
   * Hides parameters of a route from the log.
   * @param url of the route, with `:name` for each parameter
   * @param secrets names of the parameters; everything after the first of them is hidden as well
   */
  hide: (url: string, secrets: readonly string[]) => void;
  /** The path of a request for logs: without its query, which may carry keys, and without hidden parameters. */
  of: (url: string) => string;
};

/** Redacts the paths of one server. Each route declares its secret parameters. */
export function createPathRedactor(): PathRedactor {
  const hiddenPatterns: string[] = [];
  let hiddenPath: RegExp | undefined;
  return {
    hide(url, secrets) {
      hiddenPatterns.push(patternOf(url, secrets));
      // Matches anywhere in the path, case-insensitively, with any suffix: proxies and clients write paths in many
      // ways.
      hiddenPath = new RegExp(`(${hiddenPatterns.join('|')})(.*)$`, 'is');
    },
    of(url) {
      const path = decodePath(url.split('?')[0] ?? '');
      if (!hiddenPath) return path;
      return path.replace(hiddenPath, (_, knownPrefix: string, rest: string) =>
        rest === '' ? knownPrefix : `${knownPrefix}/${REDACTED}`,
      );
    },
  };
}

/** Pattern of the literal segment before the parameters, and of the parameters before the first secret. */
function patternOf(url: string, secrets: readonly string[]): string {
  const segments = url.split('/');
  const firstParam = segments.findIndex((segment) => PARAM_SEGMENT.test(segment));
  const firstSecret = segments.findIndex(
    (segment) => secrets.includes(segment.slice(1)) && PARAM_SEGMENT.test(segment),
  );
  const literalSegment = segments[firstParam - 1];
  if (firstSecret < 0 || literalSegment === undefined || !LITERAL_SEGMENT.test(literalSegment)) {
    throw new Error(`${url} has no parameter ${secrets.join(', ')} behind a plain name`);
  }
  return firstSecret === firstParam
    ? literalSegment
    : String.raw`${literalSegment}(?:\/\w+){0,${firstSecret - firstParam}}`;
}

// Decodes a path as the router does: a character may be written as %61.
function decodePath(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}

/** Names of calls that concern the security of an account, by method and route. */
const SECURITY_CALLS: Readonly<Record<string, string>> = {
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
/** Security events of every other call, by status. */
const EVENT_BY_STATUS: Readonly<Record<number, string>> = { 401: 'session.refused', 429: 'limit.reached' };

/** All values of the field `security` of a log line; docs/runbooks/logs.md describes them. */
export const securityEvents: readonly string[] = [
  ...Object.values(SECURITY_CALLS).flatMap((call) => [`${call}.accepted`, `${call}.refused`]),
  ...Object.values(EVENT_BY_STATUS),
];
/** Routes of the calls with a security event. */
export const securityCalls: readonly string[] = Object.keys(SECURITY_CALLS);

/** The security event of a call; undefined for most. A defect (5xx) has none. */
export function toSecurityEvent(method: string, route: string | undefined, status: number): string | undefined {
  const call = SECURITY_CALLS[`${method} ${route ?? ''}`];
  if (call === undefined || status === 429) return EVENT_BY_STATUS[status];
  if (status >= 500) return undefined;
  return `${call}.${status < 400 ? 'accepted' : 'refused'}`;
}
