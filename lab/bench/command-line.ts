import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';

/** Reads the options of a bench; `--help` prints the help and ends the process. @throws {Error} what is wrong, with the help */
export function parseOptions<const T extends ParseArgsOptionsConfig>(
  words: readonly string[],
  options: T,
  help: string,
) {
  if (words.includes('--help') || words.includes('-h')) {
    process.stdout.write(`${help}\n`);
    process.exit(0);
  }
  try {
    return parseArgs({ args: [...words], options }).values;
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : String(error)}\n${help}`, { cause: error });
  }
}

/** The number of an option. @throws {Error} it is out of its range, with the help */
export function numberIn(name: string, text: string, [least, most]: readonly [number, number], help: string): number {
  const value = Number(text);
  if (!(value >= least && value <= most)) throw new Error(`--${name} must be from ${least} to ${most}.\n${help}`);
  return value;
}
