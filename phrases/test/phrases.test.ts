import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { slipReasons } from '@krapao/contract/endpoints/deposit/slip';
import { languages } from '@krapao/contract/languages';
import { faultsOf } from '../src/check.ts';
import * as laterEn from '../src/later-words-en.ts';
import * as firstEn from '../src/words-en.ts';
import * as laterLa from '../src/later-words-la.ts';
import * as firstLa from '../src/words-la.ts';
import * as laterTh from '../src/later-words-th.ts';
import * as firstTh from '../src/words-th.ts';

const th = { ...firstTh, ...laterTh };
const la = { ...firstLa, ...laterLa };
const en = { ...firstEn, ...laterEn };

test('the three languages have the same keys and values, words for every error code, and nothing that is left in another', () => {
  assert.deepEqual(faultsOf({ th: { ...th }, la: { ...la }, en: { ...en } }), []);
});

test('every file of words is listed, in each language', async () => {
  const listed = { th, la, en };
  for (const language of languages) {
    const files = await readdir(join(import.meta.dirname, '..', language));
    assert.deepEqual(files.map((file) => file.replace('.json', '')).sort(), Object.keys(listed[language]).sort());
  }
});

test('every reason of a failed slip has a text in each language', () => {
  for (const { statement } of [th, la, en]) {
    const texts: Readonly<Record<string, string>> = statement.slips.reason;
    assert.deepEqual(Object.keys(texts).sort(), [...slipReasons].sort());
    for (const reason of slipReasons) assert.match(texts[reason] ?? '', /\S/u, reason);
  }
});

test('a missing key, a forgotten value and an empty text are found', () => {
  const whole = { th: { ...th }, la: { ...la }, en: { ...en } };
  const { common, ...rest } = whole.en;
  const { close: _, ...shorter } = common;
  assert.deepEqual(faultsOf({ ...whole, en: { ...rest, common: shorter } }), ['en lacks common.close']);
  const altered = { ...common, close: ' ', language: { ...common.language, label: '{{x}}' } };
  assert.deepEqual(faultsOf({ ...whole, en: { ...rest, common: altered } }), [
    'en common.language.label fills in other values',
    'en common.close is empty',
  ]);
});

test('what is left in English, or written with the letters of the neighbour, is found', () => {
  const whole = { th: { ...th }, la: { ...la }, en: { ...en } };
  const close = (words: { common: object }, text: string): object => ({
    ...words,
    common: { ...words.common, close: text },
  });
  const faults = faultsOf({
    th: { ...whole.th, ...close(whole.th, 'Close') },
    la: { ...whole.la, ...close(whole.la, 'ปิด') },
    en: { ...whole.en, ...close(whole.en, 'ປິດ') },
  });
  assert.deepEqual(faults, [
    'th common.close has Close',
    'la common.close has letters of th',
    'en common.close has letters of la',
  ]);
});
