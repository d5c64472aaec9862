import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Language, languages } from '@krapao/contract/languages';
import * as laterEn from '../src/later-words-en.ts';
import * as laterLa from '../src/later-words-la.ts';
import * as laterTh from '../src/later-words-th.ts';
import { joinWords } from '../src/unbroken-words.ts';
import { type Texts, stopFaultOf, wordingFaults, wordingFaultsOf } from '../src/wording.ts';
import * as firstEn from '../src/words-en.ts';
import * as firstLa from '../src/words-la.ts';
import * as firstTh from '../src/words-th.ts';

const th = { ...firstTh, ...laterTh };
const la = { ...firstLa, ...laterLa };
const en = { ...firstEn, ...laterEn };

function textsOf(tree: object, path = ''): [string, string][] {
  return Object.entries(tree).flatMap(([key, value]: [string, unknown]) =>
    typeof value === 'string' ? [[`${path}${key}`, value]] : textsOf(value as object, `${path}${key}.`),
  );
}

const catalogues: Record<Language, Texts> = {
  th: new Map(textsOf({ ...th })),
  la: new Map(textsOf({ ...la })),
  en: new Map(textsOf({ ...en })),
};

test('app texts use one term per thing, the agreed signs and the fixed wordings', () => {
  assert.deepEqual(wordingFaults(catalogues), []);
});

/** Texts of a file of the demonstration data with their languages, without html. */
function seededTexts(tree: unknown): [Language, string][] {
  if (typeof tree !== 'object' || tree === null) return [];
  return Object.entries(tree).flatMap(([key, value]: [string, unknown]): [Language, string][] => {
    const language = languages.find((candidate) => candidate === key);
    if (language === undefined || typeof value !== 'string') return seededTexts(value);
    const textPieces = value.split(/<\/(?:p|h3|li)>/).map((piece) => piece.replaceAll(/<[^>]*>/g, ''));
    return textPieces.filter((piece) => piece !== '').map((piece) => [language, piece]);
  });
}

test('seeded texts use the same terms and signs as the app', () => {
  for (const file of ['banners', 'bonuses', 'settings', 'sources', 'texts', 'wheel']) {
    const path = join(import.meta.dirname, `../../server/seed/${file}.json`);
    const texts = seededTexts(JSON.parse(readFileSync(path, 'utf8')));
    assert.ok(texts.length >= 6, file);
    for (const [language, text] of texts)
      assert.deepEqual(wordingFaultsOf(language, text), [], `${file} ${language} ${text}`);
  }
});

const faultsWithText = (language: Language, key: string, text: string): string[] =>
  wordingFaults({ ...catalogues, [language]: new Map([...catalogues[language], [key, text]]) });

test('a second term for a named thing is reported', () => {
  assert.deepEqual(faultsWithText('en', 'home.refund', 'Refund'), ['en home.refund has “Refund” (cashback)']);
  assert.deepEqual(faultsWithText('la', 'home.transfer', 'ໂອນເງິນ'), ['la home.transfer is not ຍ້າຍ']);
  assert.deepEqual(faultsWithText('la', 'deposit.group.bank', 'ຍ້າຍເຂົ້າບັນຊີ'), [
    'la deposit.group.bank is ຍ້າຍ, and th is โอน',
  ]);
  assert.deepEqual(faultsWithText('th', 'home.refreshAll', 'รีเฟรชทุกเกม'), ['th home.refreshAll has “รีเฟรช” (เช็ก)']);
});

test('a button quoted by another name, a changed fixed wording and inconsistent texts are reported', () => {
  assert.deepEqual(faultsWithText('en', 'howto.tutorial.wallet.steps.deposit', 'Tap “Top up”'), [
    'en howto.tutorial.wallet.steps.deposit quotes “Top up”, which is no text of the app',
  ]);
  assert.deepEqual(faultsWithText('en', 'parts.copyFailed', "Couldn't copy"), [
    'en parts.copyFailed is not “Failed to copy”',
  ]);
  assert.deepEqual(faultsWithText('th', 'profile.passwordMismatch', 'รหัสผ่านต่างกัน'), [
    'th register.passwordMismatch differs from profile.passwordMismatch',
  ]);
});

test('the general text of an error code is true with every detail that may follow it', () => {
  const onlySometimes: Record<Language, RegExp> = {
    th: /ในเกม|หน้าโบนัส|รหัสผ่าน|อักษร/,
    la: /ໃນເກມ|ໜ້າໂບນັດ|ລະຫັດຜ່ານ|ອັກສອນ/,
    en: /in a game|Bonuses page|password|characters/i,
  };
  for (const language of languages)
    for (const code of ['BONUS_CONDITION', 'BONUS_REMAINING', 'INVALID_USER_INFO', 'INVALID_BANK'])
      assert.doesNotMatch(catalogues[language].get(`errors.errorMsg.${code}`) ?? '', onlySometimes[language], code);
});

test('wrong spaces, signs and full stops are reported', () => {
  assert.deepEqual(wordingFaultsOf('th', 'ชัดๆ'), ['“ดๆ” (a space on both sides of ๆ)']);
  assert.equal(wordingFaultsOf('la', 'ຝາກຫຼືຖອນ').length, 1);
  assert.deepEqual(wordingFaultsOf('la', 'ຍັງເຫຼືອ ຮູ້ວ່າສຳເລັດຫຼືບໍ່ ຝາກ ຫຼື ຖອນ'), []);
  assert.equal(wordingFaultsOf('th', 'รอ5 นาที').length, 1);
  assert.equal(wordingFaultsOf('en', 'Wait...').length, 1);
  assert.equal(stopFaultOf('x', 'One thing. Another'), 'lacks the stop of its last sentence');
  assert.equal(stopFaultOf('x', 'One thing.'), 'is one sentence with a stop');
});

test('no line breaks inside Thai words of which browsers know only the parts', () => {
  assert.equal(joinWords('รหัสโปรโมชั่น ภายในไม่กี่นาที'), 'รหัสโปร\u2060โม\u2060ชั่น ภายในไม่\u2060กี่\u2060นาที');
  assert.equal(joinWords(joinWords('โปรโมชั่น')), joinWords('โปรโมชั่น'));
  assert.equal(joinWords('ค่าธรรมเนียม ฿0'), 'ค่า\u2060ธรรมเนียม ฿0');
  assert.equal(joinWords('โปรไฟล์'), 'โปรไฟล์');
});
