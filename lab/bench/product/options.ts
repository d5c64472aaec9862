import { resolve } from 'node:path';
import { parseNumber, parseOptions } from '../command-line.ts';
import { commandNames } from './commands.ts';

export type Options = {
  /** Commands to measure. */
  only: readonly string[];
  rounds: number;
  /** Duration of one measurement. */
  seconds: number;
  inFlight: number;
  members: number;
  /** Another work tree, measured alternately with this one. */
  against: string | undefined;
  /** Priority of the simulators: 19 is the lowest. */
  simulatorsNice: number;
  /** Whether a discarded round comes first. */
  warmUp: boolean;
  /** Whether to print the statements of each command. */
  list: boolean;
  /** API processes of this tree; by default the system decides. */
  apiProcesses: number | undefined;
  /** Path of the report. */
  output: string;
};

const HELP_TEXT = `npm run lab -- bench product [--only transfer-in,login] [--rounds 3] [--seconds 3] [--in-flight 32] [--members 48]
                 [--against DIR] [--simulators-nice 19] [--api-processes N] [--skip-warm-up] [--list] [--output reports/bench.json]
commands: ${commandNames.join(', ')}`;

const OPTION_DEFINITIONS = {
  only: { type: 'string' },
  rounds: { type: 'string', default: '3' },
  seconds: { type: 'string', default: '3' },
  'in-flight': { type: 'string', default: '32' },
  members: { type: 'string', default: '48' },
  against: { type: 'string' },
  'simulators-nice': { type: 'string', default: '19' },
  'skip-warm-up': { type: 'boolean', default: false },
  list: { type: 'boolean', default: false },
  'api-processes': { type: 'string' },
  output: { type: 'string', default: 'reports/bench.json' },
} as const;

/** @throws {Error} invalid options, with the message to print */
export function readOptions(args: readonly string[]): Options {
  const values = parseOptions(args, OPTION_DEFINITIONS, HELP_TEXT);
  const numberOf = (name: string, text: string, min: number, max: number): number =>
    parseNumber(name, text, [min, max], HELP_TEXT);
  const selectedNames = values.only === undefined ? commandNames : values.only.split(',').map((name) => name.trim());
  const unknownNames = selectedNames.filter((name) => !commandNames.includes(name));
  if (unknownNames.length > 0) throw new Error(`There is no command ${unknownNames.join(', ')}.\n${HELP_TEXT}`);
  const options = {
    only: selectedNames,
    rounds: numberOf('rounds', values.rounds, 1, 99),
    seconds: numberOf('seconds', values.seconds, 0.1, 600),
    inFlight: numberOf('in-flight', values['in-flight'], 1, 256),
    members: numberOf('members', values.members, 1, 1_000),
    against: values.against === undefined ? undefined : resolve(values.against),
    simulatorsNice: numberOf('simulators-nice', values['simulators-nice'], 0, 19),
    warmUp: !values['skip-warm-up'],
    list: values.list,
    apiProcesses:
      values['api-processes'] === undefined ? undefined : numberOf('api-processes', values['api-processes'], 1, 64),
    output: resolve(values.output),
  };
  if (options.members < options.inFlight) {
    throw new Error('--members must be at least --in-flight: a member runs one command at a time.');
  }
  return options;
}
