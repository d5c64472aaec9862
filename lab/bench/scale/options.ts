import { resolve } from 'node:path';
import { parseNumber, parseOptions } from '../command-line.ts';
import { type Options, readOptions } from '../product/options.ts';

export type ScaleOptions = {
  /** Members of the small and the large system. */
  sizes: readonly [number, number];
  /** Folder that keeps filled systems for later runs; by default they are removed after the run. */
  data: string | undefined;
  /** Whether member commands are measured, not only jobs. */
  hasCommands: boolean;
  /** Whether the books are audited at the end. */
  isAudited: boolean;
  bench: Options;
};

const HELP_TEXT = `npm run lab -- bench scale [--members 1000000] [--base 10000] [--data DIR] [--jobs-only] [--skip-audit]
                 [--only transfer-in,login] [--rounds 3] [--seconds 3] [--in-flight 16] [--list] [--output reports/bench-scale.json]`;

/** Active members of each system: few, so that two systems start quickly. */
const ACTIVE_MEMBERS = '24';

const OPTION_DEFINITIONS = {
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

/** @throws {Error} invalid options, with the message to print */
export function readScaleOptions(args: readonly string[]): ScaleOptions {
  const values = parseOptions(args, OPTION_DEFINITIONS, HELP_TEXT);
  const sizeOf = (name: string, text: string): number =>
    Math.trunc(parseNumber(name, text, [1_000, 5_000_000], HELP_TEXT));
  const { only, rounds, seconds, list, output } = values;
  return {
    sizes: [sizeOf('base', values.base), sizeOf('members', values.members)],
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
      ACTIVE_MEMBERS,
      '--output',
      output,
      ...(list ? ['--list'] : []),
    ]),
  };
}
