import type { FastifyServerOptions } from 'fastify';
import type { LogLevel } from '../config.ts';
import { asUnavailable } from '../database/errors.ts';
import type { LogOutput } from '../start/rotating-file.ts';
import { Unavailable } from '../errors.ts';

const HIDDEN = '[hidden]';

/**
 * Lines of JSON that never hold a token, a password, a one-time code or a body.
 * @param loggedPath the path of a request without its secrets
 * @param stream left out: standard output
 */
export function logOptions(
  level: LogLevel,
  loggedPath: PathRedactor['of'],
  stream: LogOutput = standardOutput(),
): NonNullable<FastifyServerOptions['logger']> {
  const secrets = ['authorization', 'cookie', 'password', 'otp', 'otpToken', 'token', 'code', 'secret', 'key'];
  return {
    level,
    stream,
    redact: { paths: secrets.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), censor: HIDDEN },
    serializers: {
      req: (request: { method: string; url: string; ip: string }) => ({
        method: request.method,
        path: loggedPath(request.url),
        ip: request.ip,
      }),
      err: (error: Error & { code?: string }) => ({
        type: error.name,
        message: error.message,
        // A temporary outage is no defect: the stack would say nothing.
        stack: asUnavailable(error) instanceof Unavailable ? '' : (error.stack ?? ''),
        ...(error.code ? { sqlstate: error.code } : {}),
      }),
    },
  };
}

// On a full disk log lines are lost, but the server runs on: without this the first failed write would end the process.
function standardOutput(): NodeJS.WriteStream {
  const { stdout } = process;
  if (stdout.listenerCount('error') === 0) stdout.on('error', () => {});
  return stdout;
}

const REDACTED = '[hidden]';
const PARAM = /^[:{]/;
const LITERAL = /^[\w-]+$/;

export type PathRedactor = {
  /**
   * Hides parameters of a route from the log.
   * @param url of the route, with `:name` for each parameter
   * @param secrets names of the parameters; whatever follows the first of them is hidden as well
   */
  hide: (url: string, secrets: readonly string[]) => void;
  /** The path of a request as a log may show it: without its query, which may carry keys, and without hidden parameters. */
  of: (url: string) => string;
};

/** The paths of one server; a route declares its own secrets. */
export function createPathRedactor(): PathRedactor {
  const declared: string[] = [];
  let pattern: RegExp | undefined;
  return {
    hide(url, secrets) {
      declared.push(patternOf(url, secrets));
      // Anywhere in the path, in either case, with anything behind: proxies and clients write paths in many ways.
      pattern = new RegExp(`(${declared.join('|')})(.*)$`, 'is');
    },
    of(url) {
      const path = decoded(url.split('?')[0] ?? '');
      if (!pattern) return path;
      return path.replace(pattern, (_, known: string, rest: string) => (rest === '' ? known : `${known}/${REDACTED}`));
    },
  };
}

/** The literal before the parameters, and the parameters before the first secret. */
function patternOf(url: string, secrets: readonly string[]): string {
  const segments = url.split('/');
  const first = segments.findIndex((segment) => PARAM.test(segment));
  const secret = segments.findIndex((segment) => secrets.includes(segment.slice(1)) && PARAM.test(segment));
  const literal = segments[first - 1];
  if (secret < 0 || literal === undefined || !LITERAL.test(literal)) {
    throw new Error(`${url} has no parameter ${secrets.join(', ')} behind a plain name`);
  }
  return secret === first ? literal : String.raw`${literal}(?:\/\w+){0,${secret - first}}`;
}

// As the router reads it: a letter of the path may be written as %61.
function decoded(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}

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
export function toSecurityEvent(method: string, route: string | undefined, status: number): string | undefined {
  const call = CALLS[`${method} ${route ?? ''}`];
  if (call === undefined || status === 429) return BY_STATUS[status];
  if (status >= 500) return undefined;
  return `${call}.${status < 400 ? 'accepted' : 'refused'}`;
}
