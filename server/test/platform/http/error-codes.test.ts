import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, test } from 'node:test';
import { errorCodes } from '@krapao/contract/errors';

const REPOSITORY_ROOT = join(import.meta.dirname, '../../../..');

/** This file names codes without testing them. */
const OWN_FILE_NAME = basename(import.meta.filename);

/** Titles and comments mention codes without expecting them. */
const TITLES_AND_COMMENTS = /^\s*(?:(?:test|describe|it)\(|\/\/|\/?\*).*$/gm;

/** Text of the TypeScript files in a folder, without test titles and comments. */
const textOf = (...folders: readonly string[]): string =>
  folders
    .flatMap((folder) =>
      readdirSync(join(REPOSITORY_ROOT, folder), { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.ts') && !file.endsWith(OWN_FILE_NAME))
        .map((file) => readFileSync(join(REPOSITORY_ROOT, folder, file), 'utf8').replaceAll(TITLES_AND_COMMENTS, '')),
    )
    .join('\n');

const codesMissingIn = (text: string): string[] => {
  const codeWords = new Set(text.match(/\b[A-Z][A-Z0-9_]+\b|\b(?:invalid-token|gone)\b/g));
  return errorCodes.filter((code) => !codeWords.has(code));
};

/** Source of each server test whose title names a requirement, without the title. */
const requirementTests = (): string =>
  readdirSync(join(REPOSITORY_ROOT, 'server/test'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts'))
    .flatMap((file) =>
      readFileSync(join(REPOSITORY_ROOT, 'server/test', file), 'utf8').split(/^\s*(?=(?:test|describe)\()/m),
    )
    .filter((testText) => /^test\(.*\[R-[A-Z0-9]+-\d\d\]/.test(testText))
    .map((testText) => testText.replaceAll(TITLES_AND_COMMENTS, ''))
    .join('\n');

describe('the catalogue of error codes', () => {
  test('the server sends every error code of the catalogue somewhere', () => {
    assert.deepEqual(codesMissingIn(textOf('server/src')), []);
  });

  test('a server test expects every error code of the catalogue', () => {
    assert.deepEqual(codesMissingIn(textOf('server/test')), []);
  });

  test('a server test with a requirement id expects every error code that has one', () => {
    assert.deepEqual(codesMissingIn(requirementTests()), []);
  });

  test('an error code that is never sent is reported', () => {
    assert.deepEqual(codesMissingIn(errorCodes.filter((code) => code !== 'NO_USER').join(' ')), ['NO_USER']);
  });
});
