import { resolve } from 'node:path';
import { parseNumber, parseOptions } from '../command-line.ts';

export type Options = {
  minutes: number;
  /** Commands started per second. */
  perSecond: number;
  members: number;
  /** Interval of samples. */
  everySeconds: number;
  /** Path of the report. */
  output: string;
};

const HELP_TEXT = `npm run lab -- soak [--minutes 60] [--per-second 40] [--members 200] [--every 60] [--output reports/soak.json]`;

const OPTION_DEFINITIONS = {
  minutes: { type: 'string', default: '60' },
  'per-second': { type: 'string', default: '40' },
  members: { type: 'string', default: '200' },
  every: { type: 'string', default: '60' },
  output: { type: 'string', default: 'reports/soak.json' },
} as const;

/** @throws {Error} invalid options, with the message to print */
export function readOptions(args: readonly string[]): Options {
  const values = parseOptions(args, OPTION_DEFINITIONS, HELP_TEXT);
  return {
    minutes: parseNumber('minutes', values.minutes, [0.1, 1_440], HELP_TEXT),
    perSecond: parseNumber('per-second', values['per-second'], [1, 2_000], HELP_TEXT),
    members: parseNumber('members', values.members, [1, 1_000], HELP_TEXT),
    everySeconds: parseNumber('every', values.every, [1, 3_600], HELP_TEXT),
    output: resolve(values.output),
  };
}
