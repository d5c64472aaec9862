import { parseArgs } from 'node:util';
import { UserError } from '../../../tools/install.mjs';
import { KINDS } from './kinds/kinds.mjs';
import { MEMBERS_MAX } from './members.mjs';

const DEFAULT_OPTIONS = { minutes: '15', seed: '1', rate: '250', members: '240', calm: '8', faults: '', older: '' };

/** Parses the command line. @throws {UserError} invalid options */
export function readOptions(args = process.argv.slice(2)) {
  const types = Object.entries(DEFAULT_OPTIONS).map(([name, value]) => [name, { type: 'string', default: value }]);
  const { values } = parseArgs({ args, options: Object.fromEntries(types) });
  const number = (name) => {
    const value = Number(values[name]);
    if (Number.isNaN(value) || value < 0) throw new UserError(`--${name} must be a number.`);
    return value;
  };
  const kinds = values.faults === '' ? Object.keys(KINDS) : values.faults.split(',').map((name) => name.trim());
  const unknownKind = kinds.find((name) => !Object.hasOwn(KINDS, name));
  if (unknownKind !== undefined)
    throw new UserError(`There is no fault "${unknownKind}". Faults: ${Object.keys(KINDS).join(', ')}.`);
  const [minutes, seed, rate, members, calm] = ['minutes', 'seed', 'rate', 'members', 'calm'].map(number);
  if (members < 1 || members > MEMBERS_MAX) throw new UserError(`--members must be 1 to ${MEMBERS_MAX}.`);
  return { minutes, seed, rate, members, calm, kinds, older: values.older || undefined };
}
