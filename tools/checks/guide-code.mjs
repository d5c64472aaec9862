/** A code block of a document whose opening line names a file of the repository. */
const BLOCK = /^```\w+ ([\w./-]+\/[\w.-]+)\n([\s\S]*?)^```$/gm;

/** Messages about code blocks that differ from the file that they name, so that a guide shows code that a test runs. */
export function checkGuideCode(files) {
  const texts = new Map(files.map(({ path, text }) => [path, text]));
  return files
    .filter(({ path }) => path.startsWith('docs/') && path.endsWith('.md'))
    .flatMap(({ path, text }) =>
      [...text.matchAll(BLOCK)]
        .filter(([, source, code]) => texts.get(source) !== code)
        .map(([, source]) => `${path} shows ${source}, but the two differ: copy the file into the block.`),
    );
}
