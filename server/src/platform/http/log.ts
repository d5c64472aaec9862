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
        // Something that is away for the moment is no defect: where it was asked for says nothing.
        stack: asUnavailable(error) instanceof Unavailable ? '' : (error.stack ?? ''),
        ...(error.code ? { sqlstate: error.code } : {}),
      }),
    },
  };
}

// A full disk takes the lines, not the server: without this the first line that can't be written would end the process.
function standardOutput(): NodeJS.WriteStream {
  const { stdout } = process;
  if (stdout.listenerCount('error') === 0) stdout.on('error', () => {});
  return stdout;
}
