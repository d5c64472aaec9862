// Groups test files that share one process: starting a process and loading the server's modules takes half of a short
// file's time.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT } from '../../install.mjs';

const GROUPS_FOLDER = join(ROOT, 'node_modules/.cache/test-groups');

/**
 * Writes files that import several test files each, run in sequence, each as a suite with its name.
 * @param files distributed evenly over the groups @param count number of groups
 * @returns paths of the written files
 */
export function writeGroups(name, files, count) {
  const groups = Array.from({ length: count }, (_, index) => files.filter((_file, place) => place % count === index));
  const folder = join(GROUPS_FOLDER, name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  return groups
    .filter(({ length }) => length > 0)
    .map((group, index) => {
      const path = join(folder, `${String(index + 1).padStart(2, '0')}.test.mjs`);
      writeFileSync(path, textOf(group));
      return path;
    });
}

// The hooks of a test file belong to the suite in which it is loaded.
const textOf = (group) =>
  [
    `import { describe } from 'node:test';`,
    ...group.map((file) => {
      const name = JSON.stringify(relative(ROOT, file));
      return `describe(${name}, async () => void (await import(${JSON.stringify(pathToFileURL(file).href)})));`;
    }),
    '',
  ].join('\n');

/** Test files that a group file runs; none for any other file. */
export function filesOfGroup(path) {
  if (!path.startsWith(GROUPS_FOLDER)) return [];
  return [...readFileSync(path, 'utf8').matchAll(/^describe\("([^"]+)"/gm)].map(([, file]) => file);
}
