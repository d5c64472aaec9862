import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { slipReasons } from '@krapao/contract/endpoints/deposit/slip';
import { languages } from '@krapao/contract/languages';
import { faultsOf } from '../src/check.ts';
import * as laterEn from '../src/later-words-en.ts';
import * as laterLa from '../src/later-words-la.ts';
import * as laterTh from '../src/later-words-th.ts';
import * as firstEn from '../src/words-en.ts';
import * as firstLa from '../src/words-la.ts';
import * as firstTh from '../src/words-th.ts';

const th = { ...firstTh, ...laterTh };
const la = { ...firstLa, ...laterLa };
const en = { ...firstEn, ...laterEn };

test('the three languages have the same keys and values, texts for every error code, and no text left in another language', () => {
  assert.deepEqual(faultsOf({ th: { ...th }, la: { ...la }, en: { ...en } }), []);
});

test('every phrase file is listed, in each language', async () => {
  const catalogues = { th, la, en };
  for (const language of languages) {
    const files = await readdir(join(import.meta.dirname, '..', language));
    assert.deepEqual(files.map((file) => file.replace('.json', '')).sort(), Object.keys(catalogues[language]).sort());
  }
});

test('every reason of a failed slip has a text in each language', () => {
  for (const { statement } of [th, la, en]) {
    const texts: Readonly<Record<string, string>> = statement.slips.reason;
    assert.deepEqual(Object.keys(texts).sort(), [...slipReasons].sort());
    for (const reason of slipReasons) assert.match(texts[reason] ?? '', /\S/u, reason);
  }
});

test('a missing key, a missing value and an empty text are reported', () => {
  const allCatalogues = { th: { ...th }, la: { ...la }, en: { ...en } };
  const { common, ...restOfEnglish } = allCatalogues.en;
  const { close: _, ...withoutClose } = common;
  assert.deepEqual(faultsOf({ ...allCatalogues, en: { ...restOfEnglish, common: withoutClose } }), [
    'en lacks common.close',
  ]);
  const alteredCommon = { ...common, close: ' ', language: { ...common.language, label: '{{x}}' } };
  assert.deepEqual(faultsOf({ ...allCatalogues, en: { ...restOfEnglish, common: alteredCommon } }), [
    'en common.language.label fills in other values',
    'en common.close is empty',
  ]);
});

test('text left in English, or in the script of another language, is reported', () => {
  const allCatalogues = { th: { ...th }, la: { ...la }, en: { ...en } };
  const withCloseText = (catalogue: { common: object }, text: string): object => ({
    ...catalogue,
    common: { ...catalogue.common, close: text },
  });
  const faults = faultsOf({
    th: { ...allCatalogues.th, ...withCloseText(allCatalogues.th, 'Close') },
    la: { ...allCatalogues.la, ...withCloseText(allCatalogues.la, 'ปิด') },
    en: { ...allCatalogues.en, ...withCloseText(allCatalogues.en, 'ປິດ') },
  });
  assert.deepEqual(faults, [
    'th common.close has Close',
    'la common.close has letters of th',
    'en common.close has letters of la',
  ]);
});
