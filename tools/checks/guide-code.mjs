import { spawnSync } from 'node:child_process';
import { ROOT } from '../install.mjs';

/** A code block whose opening line names a file of the repository. */
const CODE_BLOCK = /^```\w+ ([\w./-]+\/[\w.-]+)\n([\s\S]*?)^```$/gm;

/** Returns messages about code blocks that differ from the named file, so that guides show tested code. */
export function checkGuideCode(files) {
  const textByPath = new Map(files.map(({ path, text }) => [path, text]));
  return files
    .filter(({ path }) => path.startsWith('docs/') && path.endsWith('.md'))
    .flatMap(({ path, text }) =>
      [...text.matchAll(CODE_BLOCK)]
        .filter(([, source, code]) => textByPath.get(source) !== code)
        .map(([, source]) => `${path} shows ${source}, but the two differ: copy the file into the block.`),
    );
}

/** Returns messages about changes shown in guides that do not apply to the work tree. */
export function checkGuideChanges(files) {
  return files
    .filter(({ path }) => path.endsWith('.diff'))
    .map(({ path, text }) => ({ path, failure: failureOf(text) }))
    .filter(({ failure }) => failure !== '')
    .map(({ path, failure }) => `${path} does not apply: ${failure} Update it to the present code.`);
}

function failureOf(change) {
  const { status, stderr } = spawnSync('git', ['apply', '--check', '--unidiff-zero'], {
    cwd: ROOT,
    input: change,
    encoding: 'utf8',
  });
  return status === 0 ? '' : (stderr.trim().split('\n').pop() ?? 'git apply failed.');
}
