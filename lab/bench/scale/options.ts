import { resolve } from 'node:path';
import { numberIn, parseOptions } from '../command-line.ts';
import { type Options, readOptions } from '../product/options.ts';

export type ScaleOptions = {
  /** Members of the small system, and of the large one. */
  sizes: readonly [number, number];
  /** Folder in which the filled systems are kept and found again; left out, they are made for the run and removed. */
  data: string | undefined;
  /** Whether commands of members are measured, or the jobs alone. */
  hasCommands: boolean;
  /** Whether the books are audited and reconciled at the end. */
  isAudited: boolean;
  bench: Options;
};

const HELP = `npm run lab -- bench scale [--members 1000000] [--base 10000] [--data DIR] [--jobs-only] [--skip-audit]
                 [--only transfer-in,login] [--rounds 3] [--seconds 3] [--in-flight 16] [--list] [--output reports/bench-scale.json]`;

/** Bench members of each system: few, so that two systems are ready soon. */
const BENCH_MEMBERS = '24';

const OPTIONS = {
  members: { type: 'string', default: '1000000' },
  base: { type: 'string', default: '10000' },
  data: { type: 'string' },
  'jobs-only': { type: 'boolean', default: false },
  'skip-audit': { type: 'boolean', default: false },
  only: { type: 'string' },
  rounds: { type: 'string', default: '3' },
  seconds: { type: 'string', default: '3' },
  'in-flight': { type: 'string', default: '16' },
  list: { type: 'boolean', default: false },
  output: { type: 'string', default: 'reports/bench-scale.json' },
} as const;

/** @throws {Error} with the sentence to print */
export function readScaleOptions(words: readonly string[]): ScaleOptions {
  const values = parseOptions(words, OPTIONS, HELP);
  const size = (name: string, text: string): number => Math.trunc(numberIn(name, text, [1_000, 5_000_000], HELP));
  const { only, rounds, seconds, list, output } = values;
  return {
    sizes: [size('base', values.base), size('members', values.members)],
    data: values.data === undefined ? undefined : resolve(values.data),
    hasCommands: !values['jobs-only'],
    isAudited: !values['skip-audit'],
    bench: readOptions([
      ...(only === undefined ? [] : ['--only', only]),
      '--rounds',
      rounds,
      '--seconds',
      seconds,
      '--in-flight',
      values['in-flight'],
      '--members',
      BENCH_MEMBERS,
      '--output',
      output,
      ...(list ? ['--list'] : []),
    ]),
  };
}
