import { isSource, withoutComments } from './files.mjs';

const COMMENT = /\/\*[\s\S]*?\*\/|(?:^|[^:'"`])\/\/.*$/gm;
/** A name in camel case, or any word that a comment explains after a colon. */
const NAME = /`([a-z]+[A-Z]\w*|[a-z]\w*(?=`:))`/g;
const EXPORT =
  /export\s+(?:default\s+)?(?:async\s+)?(?:abstract\s+)?(?:const|let|function\*?|class|type|interface|enum)\s+(\w+)/g;

/** Names in comments must occur in the file's code, or be exported: a rename forgets comments. */
export function checkCommentNames(files) {
  const codeFiles = files
    .filter(({ path }) => isSource(path))
    .map((file) => ({ ...file, code: withoutComments(file.text) }));
  const exportedNames = new Set(codeFiles.flatMap(({ code }) => [...code.matchAll(EXPORT)].map(([, name]) => name)));
  return codeFiles.flatMap(({ path, text, code }) => {
    const names = [...text.matchAll(COMMENT)].flatMap(([comment]) => [...comment.matchAll(NAME)]);
    const codeNames = new Set(code.match(/\w+/g));
    return [...new Set(names.map(([, name]) => name))]
      .filter((name) => !codeNames.has(name) && !exportedNames.has(name))
      .map((name) => `${path}: a comment names \`${name}\`, which the code does not have`);
  });
}
