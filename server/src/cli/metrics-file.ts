import { chmodSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { UserError } from '../platform/errors.ts';
import { asWriteError } from './run-command.ts';

/**
 * Writes gauges `krapao_COMMAND_NAME` for Prometheus' node exporter: atomically, and readable by its user.
 * @param path undefined: writes nothing
 * @param values by NAME; undefined ones are left out
 */
export function writeGauges(
  path: string | undefined,
  command: string,
  values: Readonly<Record<string, number | undefined>>,
): void {
  if (path === undefined) return;
  const lines = Object.entries(values).flatMap(([name, value]) =>
    value === undefined ? [] : [`# TYPE krapao_${command}_${name} gauge`, `krapao_${command}_${name} ${value}`],
  );
  try {
    // A rename would replace a device such as /dev/null by a file.
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat && !stat.isFile() && !stat.isDirectory()) throw new UserError(`${path} is not a regular file.`);
    writeFileSync(`${path}.new`, `${lines.join('\n')}\n`);
    chmodSync(`${path}.new`, 0o644);
    renameSync(`${path}.new`, path);
  } catch (error) {
    throw asWriteError(path, error);
  }
}

/** Seconds since 1970, as Prometheus counts time. */
export const secondsOf = (moment: Date): number => Math.floor(moment.getTime() / 1_000);
