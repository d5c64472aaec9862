import type { FastifyServerOptions } from 'fastify';
import type { LogLevel } from '../config.ts';
import { asUnavailable } from '../database/database-unavailable.ts';
import type { LogOutput } from '../start/rotating-file.ts';
import { Unavailable } from '../unavailable.ts';
import type { LoggedPaths } from './logged-path.ts';

const HIDDEN = '[hidden]';

/**
 * Lines of JSON that never hold a token, a password, a one-time code or a body.
 * @param loggedPath the path of a request without its secrets
 * @param stream left out: standard output
 */
export function logOptions(
  level: LogLevel,
  loggedPath: LoggedPaths['of'],
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
