import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, test } from 'node:test';
import { errorCodes } from '@krapao/contract/errors';

const ROOT = join(import.meta.dirname, '../../../..');

/** Names a code without being a test of it. */
const SELF = basename(import.meta.filename);

/** Titles and comments speak of codes without expecting them. */
const spoken = /^\s*(?:(?:test|describe|it)\(|\/\/|\/?\*).*$/gm;

/** Text of the TypeScript files in a folder, without test titles and comments. */
const textOf = (...folders: readonly string[]): string =>
  folders
    .flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.ts') && !file.endsWith(SELF))
        .map((file) => readFileSync(join(ROOT, folder, file), 'utf8').replaceAll(spoken, '')),
    )
    .join('\n');

const missingIn = (text: string): string[] => {
  const words = new Set(text.match(/\b[A-Z][A-Z0-9_]+\b|\b(?:invalid-token|gone)\b/g));
  return errorCodes.filter((code) => !words.has(code));
};

/** Each test of the server below a title that names a requirement, without the title. */
const claimed = (): string =>
  readdirSync(join(ROOT, 'server/test'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts'))
    .flatMap((file) => readFileSync(join(ROOT, 'server/test', file), 'utf8').split(/^\s*(?=(?:test|describe)\()/m))
    .filter((one) => /^test\(.*\[R-[A-Z0-9]+-\d\d\]/.test(one))
    .map((one) => one.replaceAll(spoken, ''))
    .join('\n');

describe('the catalogue of error codes', () => {
  test('the server sends each of them somewhere', () => {
    assert.deepEqual(missingIn(textOf('server/src')), []);
  });

  test('a test of the server expects each of them', () => {
    assert.deepEqual(missingIn(textOf('server/test')), []);
  });

  test('one that carries a requirement expects it', () => {
    assert.deepEqual(missingIn(claimed()), []);
  });

  test('a code that is never sent is found', () => {
    assert.deepEqual(missingIn(errorCodes.filter((code) => code !== 'NO_USER').join(' ')), ['NO_USER']);
  });
});
