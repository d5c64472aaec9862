import { isSource, lineOf, withoutComments } from './files.mjs';

const LIST = /^(server\/src\/adapters\/gateway|simulators\/src\/gateways)\/vendors\.ts$/;
/** The bank that issues codes also holds the operator's accounts; stores written when there was one gateway. */
const EXCEPT = /^simulators\/src\/(?:bank-api\/lines|store-upgrade)\.ts$/;
const PROGRAMS = /^(?:server|simulators|web|contract)\/src\/|^tools\/[^/]+$/;

/** Messages about gateways named outside of their files and of vendors.ts, in the server and in the simulators. */
export function checkGateways(files) {
  const lists = files.filter(({ path }) => LIST.test(path));
  const names = new Set(lists.flatMap(({ text }) => [...text.matchAll(/export \{ (\w+) \}/g)].map(([, name]) => name)));
  if (names.size === 0) return [];
  const named = new RegExp(String.raw`(?<![\w/-])(?:${[...names].join('|')})(?![\w-])`, 'g');
  const own = new RegExp(String.raw`/gateways?/(?:(?:${[...names].join('|')})[-./]|vendors\.ts$)`);
  return files
    .filter(({ path }) => PROGRAMS.test(path) && !EXCEPT.test(path) && isSource(path) && !own.test(path))
    .flatMap(({ path, text }) => {
      const program = withoutComments(text);
      return [...program.matchAll(named)].map(
        (match) =>
          `${path}:${lineOf(program, match.index)} names the gateway ${match[0]}: only its own file and vendors.ts may.`,
      );
    });
}
