import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';

/** Parses options; `--help` prints the help and exits. @throws {Error} invalid options, with the help */
export function parseOptions<const T extends ParseArgsOptionsConfig>(
  args: readonly string[],
  options: T,
  help: string,
) {
  if (args.includes('--help') || args.includes('-h')) {
    process.stdout.write(`${help}\n`);
    process.exit(0);
  }
  try {
    return parseArgs({ args: [...args], options }).values;
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : String(error)}\n${help}`, { cause: error });
  }
}

/** Parses a number option. @throws {Error} out of range, with the help */
export function parseNumber(name: string, text: string, [min, max]: readonly [number, number], help: string): number {
  const value = Number(text);
  if (!(value >= min && value <= max)) throw new Error(`--${name} must be from ${min} to ${max}.\n${help}`);
  return value;
}
