import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../install.mjs';

const BINARY = /\.(png|jpe?g|webp|avif|gif|ico|woff2?|mp4|webm|mp3|ogg|pdf)$/i;

/** Text files of a work tree of the repository, committed or not: `{path, text}`. */
export function repositoryFiles(tree = ROOT) {
  const listed = spawnSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: tree,
    encoding: 'utf8',
  });
  if (listed.status !== 0) throw new Error(`git ls-files failed: ${listed.stderr}`);
  const files = [];
  for (const path of new Set(listed.stdout.split('\0'))) {
    if (path === '' || BINARY.test(path)) continue;
    try {
      files.push({ path, text: readFileSync(join(tree, path), 'utf8') });
    } catch {
      // Deleted in the work tree, not yet in the index.
    }
  }
  return files;
}

/** Whether a file is source code. */
export const isSource = (path) => /\.(ts|tsx|mjs|js)$/.test(path);

/** Line number, from 1, of a position in a text. */
export const lineOf = (text, index) => text.slice(0, index).split('\n').length;

/** A source with blanked comments; strings and positions stay. */
export function withoutComments(text) {
  return text.replaceAll(
    /('(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`)|\/\*[\s\S]*?\*\/|(?<![:\\/])\/\/[^\n]*/g,
    (whole, string) => (string === undefined ? whole.replaceAll(/[^\n]/g, ' ') : whole),
  );
}
