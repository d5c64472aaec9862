import { readdirSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { Environment } from '../platform/config.ts';
import { UserError } from '../platform/errors.ts';
import { readSignature, type Signature } from '../platform/operator-log.ts';
import { callerPath } from './document-file.ts';
import { explainFileFailure } from './explain-failure.ts';

/**
 * The arguments NAME WHY… of a command.
 * @param usage shown after what is wrong
 * @throws {UserError} one is missing or invalid, by its name
 */
export function requireSignature(by: string | undefined, reasonWords: readonly string[], usage: string): Signature {
  const signature = readSignature(by, reasonWords);
  if (signature) return signature;
  throw new UserError(`${explainSignature(by, reasonWords)} ${usage}`);
}

function explainSignature(by: string | undefined, reasonWords: readonly string[]): string {
  if (by === undefined) return 'NAME and WHY are missing.';
  if (!readSignature(by, ['a valid reason'])) {
    return `NAME is one word of at most 40 letters, digits, dots, underscores and hyphens, not ${JSON.stringify(by)}.`;
  }
  const length = reasonWords.join(' ').trim().length;
  if (length > 500) return `WHY has ${length} letters, and at most 500 fit.`;
  return length < 5 ? 'WHY needs at least five letters.' : 'WHY must be one line without control characters.';
}

/** An argument by its name in the usage. @throws {UserError} it is missing */
export function requireArgument(value: string | undefined, name: string, usage: string): string {
  if (!value) throw new UserError(`${name} is missing. ${usage}`);
  return value;
}

/** The action `inquire`, also by its former name `ask` until the next release. */
export const readAction = (word: string | undefined): string | undefined => (word === 'ask' ? 'inquire' : word);

/** An argument that is one of some words. @throws {UserError} it is missing or another word */
export function requireOneOf<Word extends string>(
  words: readonly Word[],
  value: string | undefined,
  { name, usage }: { name: string; usage: string },
): Word {
  const word = words.find((known) => known === requireArgument(value, name, usage));
  if (word === undefined) throw wrongArgument(name, `one of ${words.join(', ')}`, value, usage);
  return word;
}

export const wrongArgument = (name: string, form: string, value: string | undefined, usage: string): UserError =>
  new UserError(`${name} is ${form}, not ${JSON.stringify(value ?? '')}. ${usage}`);

/** The first argument names no action of the command. */
export const unknownAction = (action: string | undefined, usage: string): UserError =>
  new UserError(action === undefined ? usage : `There is no action ${JSON.stringify(action)}. ${usage}`);

/** @throws {UserError} there are more arguments than the command takes */
export function refuseMore(args: readonly string[], usage: string): void {
  const [first] = args;
  if (first !== undefined) throw new UserError(`${JSON.stringify(first)} is one argument too many. ${usage}`);
}

/**
 * The arguments of a command without options.
 * @param least minimum number of arguments
 * @throws {UserError} with `usage`: too few, too many, or an option
 */
export function positionalArgs(
  args: readonly string[],
  [minimum, maximum]: readonly [number, number],
  usage: string,
): string[] {
  if (args.length < minimum || args.length > maximum || args.some((arg) => arg.startsWith('-'))) {
    throw new UserError(usage);
  }
  return [...args];
}

/**
 * Returns the path of the folder with archived WAL.
 * @param source option or setting that names it
 * @throws {UserError} it is no readable folder
 */
export function resolveWalFolder(environment: Environment, folder: string, source: string): string {
  if (folder === '') throw new UserError(`${source} names no folder.`);
  const path = callerPath(environment, folder);
  try {
    readdirSync(path);
    return path;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
      throw new UserError(`There is no folder ${path}, which ${source} names.`);
    }
    throw new UserError(explainFileFailure(error, path) ?? `${path} can't be read.`, { cause: error });
  }
}

/** What `parseArgs` refused, in its first sentence, with the usage; only the usage for `--help`. */
export function wrongOption(error: unknown, args: readonly string[], usage: string): UserError {
  if (args.includes('--help') || args.includes('-h')) return new UserError(usage);
  const [sentence = ''] = (error as Error).message.split(/\.(?:\s|$)/);
  return new UserError(`${sentence}. ${usage}`);
}

/** The file of `--metrics FILE`, the only option of a command that a timer runs. @throws {UserError} */
export function metricsFileOption(args: readonly string[], environment: Environment): string | undefined {
  try {
    const { metrics } = parseArgs({ args: [...args], options: { metrics: { type: 'string' } } }).values;
    return metrics === undefined ? undefined : callerPath(environment, metrics);
  } catch (error) {
    throw wrongOption(error, args, 'There is one option: --metrics FILE.');
  }
}
