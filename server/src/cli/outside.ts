import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { UserError as ToolError } from '../../../tools/install.mjs';
import { ensureSecrets, writeOutside } from '../../../tools/outside.mjs';
import { UserError } from '../platform/errors.ts';
import { refuseMore, requireArgument, wrongArgument } from './arguments.ts';
import { callerPath } from './document-file.ts';
import type { Command } from './run-command.ts';

const OUTSIDE_TIMEOUT_MS = 10_000;
export const USAGE =
  'Usage: krapao outside FILE APP_URL OUTSIDE_URL, such as outside.json https://play.example.com http://127.0.0.1:3100';

/** Writes an outside file with every field and new credentials, and the secrets file next to it unless it exists. */
export const outside: Command = async ([fileArg, urlArg, outsideArg, ...extraArgs], { environment, print }) => {
  const file = requireArgument(fileArg, 'FILE', USAGE);
  const url = requireWebAddress(urlArg, 'APP_URL');
  const outsideUrl = requireWebAddress(outsideArg, 'OUTSIDE_URL');
  refuseMore(extraArgs, USAGE);
  const path = callerPath(environment, file);
  if (existsSync(path)) throw new UserError(`${path} exists already: it is not written over.`);
  // An empty value counts as unset, as in the server.
  const secretsFile = environment['SECRETS_FILE'] || join(dirname(path), 'secrets.json');
  const addresses = { url, outside: outsideUrl, publicUrl: url, simulatorsUrl: outsideUrl, followHost: [] };
  try {
    writeOutside(path, ensureSecrets(secretsFile), addresses, OUTSIDE_TIMEOUT_MS);
  } catch (error) {
    throw error instanceof ToolError ? new UserError(error.message, { cause: error }) : error;
  }
  print(
    `${path} names simulated counterparties at ${outsideUrl}. Replace addresses, credentials and accounts by real ones: docs/deploy/go-live.md.\n`,
  );
  return 0;
};

function requireWebAddress(value: string | undefined, name: string): string {
  const text = requireArgument(value, name, USAGE);
  if (URL.canParse(text) && ['http:', 'https:'].includes(new URL(text).protocol)) return text;
  throw wrongArgument(name, 'an address with http or https', text, USAGE);
}
