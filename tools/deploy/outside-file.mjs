// `npm run outside -- FILE APP_URL OUTSIDE_URL`: an outside file with every field and new credentials, to be edited, or to
// try an installation against the simulators. The secrets file beside it is made too, unless it is there.
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { Sentence } from '../install.mjs';
import { ensureSecrets, writeOutside } from '../outside.mjs';

const TIMEOUT_MS = 10_000;
const USAGE =
  'Usage: npm run outside -- FILE APP_URL OUTSIDE_URL, such as outside.json https://play.example.com http://127.0.0.1:3100';

try {
  makeFiles(process.argv.slice(2));
} catch (error) {
  console.error(error instanceof Sentence ? error.message : error.stack);
  process.exit(1);
}

function makeFiles([file, url, outside]) {
  if (!file || !isAddress(url) || !isAddress(outside)) throw new Sentence(USAGE);
  const path = resolve(process.env.INIT_CWD ?? '', file);
  if (existsSync(path)) throw new Sentence(`${path} exists already: it is not written over.`);
  // Empty is the same as not set, as for the server.
  const secretsFile = process.env.SECRETS_FILE || join(dirname(path), 'secrets.json');
  const places = { url, outside, publicUrl: url, simulatorsUrl: outside, followHost: [] };
  writeOutside(path, ensureSecrets(secretsFile), places, TIMEOUT_MS);
  console.log(`${path} names simulated counterparties at ${outside}. Replace addresses and credentials by real ones.`);
}

function isAddress(text = '') {
  return URL.canParse(text) && ['http:', 'https:'].includes(new URL(text).protocol);
}
