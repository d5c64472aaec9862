// `node tools/tidy-lock.mjs`, after every `npm install` that changed package-lock.json: takes out of it the names of
// optional packages that are in no entry of its own (builds for other machines that a registry does not carry). npm ci
// refuses a lock that names what it does not list. `--check` only says whether there is something to take out.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const path = join(import.meta.dirname, '../package-lock.json');
const lock = JSON.parse(readFileSync(path, 'utf8'));
const dropped = [];
for (const [from, entry] of Object.entries(lock.packages)) {
  for (const name of Object.keys(entry.optionalDependencies ?? {})) {
    if (isListed(from, name)) continue;
    delete entry.optionalDependencies[name];
    delete entry.peerDependenciesMeta?.[name];
    dropped.push(name);
  }
  if (entry.optionalDependencies && Object.keys(entry.optionalDependencies).length === 0)
    delete entry.optionalDependencies;
}

// In npm's order of resolution: own node_modules first, then upwards.
function isListed(from, name) {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('node_modules') - 1))) {
    const prefix = folder === '' ? '' : `${folder}/`;
    if (`${prefix}node_modules/${name}` in lock.packages) return true;
    if (folder === '') return false;
  }
}

if (process.argv.includes('--check')) {
  if (dropped.length > 0) {
    console.error(
      `package-lock.json names ${dropped.length} packages that it does not list: run node tools/tidy-lock.mjs.`,
    );
    process.exit(1);
  }
} else {
  writeFileSync(path, `${JSON.stringify(lock, null, 2)}\n`);
  console.log(`${dropped.length} names taken out.`);
}
