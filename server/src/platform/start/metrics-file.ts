import { renameSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { CannotStart } from './cannot-start.ts';
import { writeFailure } from './words.ts';

/** The file of `--metrics FILE`, the only option of a command that is run by a timer. @throws {CannotStart} */
export function metricsFileOption(words: readonly string[]): string | undefined {
  try {
    return parseArgs({ args: [...words], options: { metrics: { type: 'string' } } }).values.metrics;
  } catch (error) {
    throw new CannotStart(`${(error as Error).message} There is one option: --metrics FILE.`);
  }
}

/**
 * Writes the outcome of a run for the textfile collector of Prometheus' node exporter, which wants a whole file at any
 * moment. The time of the run is added.
 * @param path left out: writes nothing
 */
export function writeMetricsFile(
  path: string | undefined,
  command: string,
  name: string,
  value: number,
  now: Date,
): void {
  if (path === undefined) return;
  const seconds = Math.floor(now.getTime() / 1000);
  const lines = [
    `# TYPE krapao_${command}_${name} gauge`,
    `krapao_${command}_${name} ${value}`,
    `# TYPE krapao_${command}_timestamp_seconds gauge`,
    `krapao_${command}_timestamp_seconds ${seconds}`,
  ];
  try {
    writeFileSync(`${path}.new`, `${lines.join('\n')}\n`);
    renameSync(`${path}.new`, path);
  } catch (error) {
    throw writeFailure(path, error);
  }
}
