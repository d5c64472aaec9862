import { BANNED_TERMS } from './banned-terms.mjs';
import { lineOf } from './files.mjs';

const TEST_FILE = /\.(?:test|spec)\.(?:ts|mjs)$/;
const LENGTH_MAX = 120;
/** A literal title: of a test, a suite or a step, or of a function that completes it. */
const TITLE =
  /(?<![\w.'"`])(?:test|describe)(?:\.(?:describe|step))?\(\s*(?:\w+(?:\.\w+)?\(\s*)?('(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`)\s*[,)]/g;
/** Ids of requirements, and values that a title contains at run time. */
const IDS_AND_VALUES = / ?\[R-[A-Z0-9]+-\d\d\]|\$\{(?:[^{}]|\{[^{}]*\})*\}/g;
/** What a title quotes, for example a text of the app. */
const QUOTED_TEXT = /"[^"]*"|`[^`]*`/g;

/** Returns messages about titles of tests that use a banned term or have more than 120 characters without their ids. */
export function checkTestTitles(files) {
  return files
    .filter(({ path }) => TEST_FILE.test(path))
    .flatMap(({ path, text }) =>
      [...text.matchAll(TITLE)].flatMap(({ 1: literal, index }) => {
        const title = literal
          .slice(1, -1)
          .replaceAll(/\\(['"])/g, '$1')
          .replaceAll(IDS_AND_VALUES, '');
        const at = `${path}:${lineOf(text, index)}`;
        return [
          ...[...title.replaceAll(QUOTED_TEXT, '').matchAll(BANNED_TERMS)].map(
            ([term]) => `${at} has "${term}" in a title: use the term of the field (docs/style.md).`,
          ),
          ...(title.length > LENGTH_MAX ? [`${at} has a title of ${title.length} characters, not ${LENGTH_MAX}.`] : []),
        ];
      }),
    );
}
