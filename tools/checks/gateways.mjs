import { isSource, lineOf, withoutComments } from './files.mjs';

const VENDOR_LIST_PATH = /^(server\/src\/adapters\/gateway|simulators\/src\/gateways)\/vendors\.ts$/;
/**
 * Exempt files: the bank that issues codes also holds the operator's accounts, and old stores knew only one gateway.
 */
const EXEMPT_PATH = /^simulators\/src\/(?:bank-api\/feed-lines|store-upgrade)\.ts$/;
const PROGRAM_PATH = /^(?:server|simulators|web|contract)\/src\/|^tools\/[^/]+$/;

/** Returns messages about gateway names outside of the gateways' files and vendors.ts, in server and simulators. */
export function checkGateways(files) {
  const vendorLists = files.filter(({ path }) => VENDOR_LIST_PATH.test(path));
  const names = new Set(
    vendorLists.flatMap(({ text }) => [...text.matchAll(/export \{ (\w+) \}/g)].map(([, name]) => name)),
  );
  if (names.size === 0) return [];
  const gatewayName = new RegExp(String.raw`(?<![\w/-])(?:${[...names].join('|')})(?![\w-])`, 'g');
  const gatewayPath = new RegExp(String.raw`/gateways?/(?:(?:${[...names].join('|')})[-./]|vendors\.ts$)`);
  return files
    .filter(
      ({ path }) => PROGRAM_PATH.test(path) && !EXEMPT_PATH.test(path) && isSource(path) && !gatewayPath.test(path),
    )
    .flatMap(({ path, text }) => {
      const codeText = withoutComments(text);
      return [...codeText.matchAll(gatewayName)].map(
        (match) =>
          `${path}:${lineOf(codeText, match.index)} names the gateway ${match[0]}: only its own file and vendors.ts may.`,
      );
    });
}
