// Files of tests that share one process: what a process and the modules of the server take to load is half of a short file.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT } from '../../install.mjs';

const FOLDER = join(ROOT, 'node_modules/.cache/test-groups');

/**
 * Writes files that run several files of tests each, one after the other, every one as a suite of its name.
 * @param files each gets into the group that has the fewest @param count how many groups
 * @returns paths of the written files
 */
export function writeGroups(name, files, count) {
  const groups = Array.from({ length: count }, (_, index) => files.filter((_file, place) => place % count === index));
  const folder = join(FOLDER, name);
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

// The hooks of a file belong to the suite in which it is loaded.
const textOf = (group) =>
  [
    `import { describe } from 'node:test';`,
    ...group.map((file) => {
      const name = JSON.stringify(relative(ROOT, file));
      return `describe(${name}, async () => void (await import(${JSON.stringify(pathToFileURL(file).href)})));`;
    }),
    '',
  ].join('\n');

/** Names of the test files that a written file runs; none for any other file. */
export function filesOfGroup(path) {
  if (!path.startsWith(FOLDER)) return [];
  return [...readFileSync(path, 'utf8').matchAll(/^describe\("([^"]+)"/gm)].map(([, file]) => file);
}
