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
