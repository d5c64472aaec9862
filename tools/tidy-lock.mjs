// `node tools/tidy-lock.mjs`, after every `npm install` that changed package-lock.json: removes names of optional
// packages without an entry of their own (builds for other machines that a registry lacks). npm ci refuses a lock file
// with such names. `--check` only reports them.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const path = join(import.meta.dirname, '../package-lock.json');
const lockFile = JSON.parse(readFileSync(path, 'utf8'));
const droppedPackages = [];
for (const [packagePath, entry] of Object.entries(lockFile.packages)) {
  for (const name of Object.keys(entry.optionalDependencies ?? {})) {
    if (isListed(packagePath, name)) continue;
    delete entry.optionalDependencies[name];
    delete entry.peerDependenciesMeta?.[name];
    droppedPackages.push(name);
  }
  if (entry.optionalDependencies && Object.keys(entry.optionalDependencies).length === 0)
    delete entry.optionalDependencies;
}

// Searches in npm's order of resolution: own node_modules first, then upwards.
function isListed(fromPath, name) {
  for (let folder = fromPath; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('node_modules') - 1))) {
    const prefix = folder === '' ? '' : `${folder}/`;
    if (`${prefix}node_modules/${name}` in lockFile.packages) return true;
    if (folder === '') return false;
  }
}

if (process.argv.includes('--check')) {
  if (droppedPackages.length > 0) {
    console.error(
      `package-lock.json names ${droppedPackages.length} packages that it does not list: run node tools/tidy-lock.mjs.`,
    );
    process.exit(1);
  }
} else {
  writeFileSync(path, `${JSON.stringify(lockFile, null, 2)}\n`);
  console.log(`${droppedPackages.length} names taken out.`);
}
