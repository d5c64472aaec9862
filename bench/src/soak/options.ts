import { resolve } from 'node:path';
import { parseArgs } from 'node:util';

export type Options = {
  minutes: number;
  /** Commands of the mix that are begun in a second. */
  perSecond: number;
  members: number;
  /** Between two samples. */
  everySeconds: number;
  /** Path of the report. */
  output: string;
};

const HELP = `npm run soak -- [--minutes 60] [--per-second 40] [--members 200] [--every 60] [--output reports/soak.json]`;

/** @throws {Error} with the sentence to print */
export function readOptions(words: readonly string[]): Options {
  const { values } = parse(words);
  return {
    minutes: number('minutes', values.minutes, 0.1, 1_440),
    perSecond: number('per-second', values['per-second'], 1, 2_000),
    members: number('members', values.members, 1, 1_000),
    everySeconds: number('every', values.every, 1, 3_600),
    output: resolve(values.output),
  };
}

function parse(words: readonly string[]) {
  try {
    return parseArgs({
      args: [...words],
      options: {
        minutes: { type: 'string', default: '60' },
        'per-second': { type: 'string', default: '40' },
        members: { type: 'string', default: '200' },
        every: { type: 'string', default: '60' },
        output: { type: 'string', default: 'reports/soak.json' },
      },
    });
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : String(error)}\n${HELP}`, { cause: error });
  }
}

function number(name: string, text: string, least: number, most: number): number {
  const value = Number(text);
  if (!(value >= least && value <= most)) throw new Error(`--${name} must be from ${least} to ${most}.\n${HELP}`);
  return value;
}
