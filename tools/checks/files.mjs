import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../install.mjs';

const BINARY_EXTENSION = /\.(png|jpe?g|webp|avif|gif|ico|woff2?|mp4|webm|mp3|ogg|pdf)$/i;

/** Text files of a work tree, committed or not: `{path, text}`. */
export function repositoryFiles(folder = ROOT) {
  const listing = spawnSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: folder,
    encoding: 'utf8',
  });
  if (listing.status !== 0) throw new Error(`git ls-files failed: ${listing.stderr}`);
  const files = [];
  for (const path of new Set(listing.stdout.split('\0'))) {
    if (path === '' || BINARY_EXTENSION.test(path)) continue;
    try {
      files.push({ path, text: readFileSync(join(folder, path), 'utf8') });
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

/** Replaces the comments of a source by blanks; strings and positions stay. */
export function withoutComments(text) {
  return text.replaceAll(
    /('(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`)|\/\*[\s\S]*?\*\/|(?<![:\\/])\/\/[^\n]*/g,
    (match, string) => (string === undefined ? match.replaceAll(/[^\n]/g, ' ') : match),
  );
}
