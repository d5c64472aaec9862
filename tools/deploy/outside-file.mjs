// `npm run outside -- FILE APP_URL OUTSIDE_URL`: an outside file with every field and new credentials, to be edited, or to
// try an installation against the simulators. The secrets file beside it is made too, unless it is there.
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { ensureSecrets, writeOutside } from '../outside.mjs';

const TIMEOUT_MS = 10_000;

const [file, url, outside] = process.argv.slice(2);
if (!file || !URL.canParse(url ?? '') || !URL.canParse(outside ?? '')) {
  fail(
    'Usage: npm run outside -- FILE APP_URL OUTSIDE_URL, such as outside.json https://play.example.com http://127.0.0.1:3100',
  );
}
const path = resolve(process.env.INIT_CWD ?? '', file);
if (existsSync(path)) fail(`${path} exists already: it is not written over.`);
const secretsFile = process.env.SECRETS_FILE ?? join(dirname(path), 'secrets.json');
const places = { url, outside, publicUrl: url, simulatorsUrl: outside, followHost: [] };
writeOutside(path, ensureSecrets(secretsFile), places, TIMEOUT_MS);
console.log(`${path} names simulated counterparties at ${outside}. Replace addresses and credentials by real ones.`);

function fail(sentence) {
  console.error(sentence);
  process.exit(1);
}
