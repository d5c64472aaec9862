import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { namesConflict, canonicalSpelling } from '../../src/modules/account/holder-name.ts';

/** The name as displayed by the bank, the registered name, and whether they contradict each other. */
type NameCase = readonly [shown: string, registered: string, contradicts: boolean];

function assertNameCases(nameCases: readonly NameCase[]): void {
  for (const [shownName, registeredName, contradicts] of nameCases) {
    assert.equal(namesConflict(shownName, registeredName), contradicts, `${shownName} / ${registeredName}`);
    assert.equal(namesConflict(registeredName, shownName), contradicts, `${registeredName} / ${shownName}`);
  }
}

test("a bank's truncated name, or one with a title or in other letters, does not contradict the holder; another name does", () =>
  assertNameCases([
    ['SOMJAI D', 'SOMJAI DEEMAK', false],
    ['somjai deemak', 'SOMJAI DEEMAK', false],
    ['MR. SOMJAI D', 'SOMJAI DEEMAK', false],
    ['Miss Somjai D', 'SOMJAI DEEMAK', false],
    ['SOMJAI  DEEMAK', 'MR SOMJAI DEEMAK', false],
    ['SOMJAI DEE', 'SOMJAI DEEMAK', false],
    ['S*** D***', 'SOMJAI DEEMAK', false],
    ['S. DEEMAK', 'SOMJAI DEEMAK', false],
    ['SOMJAIDEEMA', 'SOMJAI DEEMAK', false],
    ['นาย สมชาย ใ***', 'สมชาย ใจดี', false],
    ['นางสาวมะลิ ส', 'มะลิ สวนดี', false],
    ['น.ส. มะลิ ส', 'มะลิ สวนดี', false],
    ['มะลิ ส', 'MALI SUANDEE', false],
    ['', 'SOMJAI DEEMAK', false],
    ['***', 'SOMJAI DEEMAK', false],
    ['KRAPAO COMPANY L', 'KRAPAO COMPANY LIMITED', false],
    ['SOMCHAI D', 'SOMJAI DEEMAK', true],
    ['SOMSHAY DEEMAK', 'SOMCHAI DEEMAK', true],
    ['SOM DEEMAK', 'SOMCHAI DEEMAK', true],
    ['SOMJAI K', 'SOMJAI DEEMAK', true],
    ['มะลิ ก', 'มะลิ สวนดี', true],
    ['สมี ก', 'สมชาย กล้า', true],
    ['สมชา', 'สมช่าง ใจดี', true],
    ['MRSOMJAI D', 'SOMJAI DEEMAK', true],
  ]));

test('spellings that look the same do not contradict, whichever side wrote them', () =>
  assertNameCases([
    ['เเดง ส', 'แดง สดใส', false],
    ['นํ้าฝน ใ', 'น้ำฝน ใจดี', false],
    ['น้ําฝน ใ', 'น้ำฝน ใจดี', false],
    ['นำ้ฝน ใ', 'น้ำฝน ใจดี', false],
    ['หญา้ ใจดี', 'หญ้า ใจดี', false],
    ['ศร\u200bี\ufeff\u00a0ใจดี', 'ศรี ใจดี', false],
    ['ＳＯＭＪＡＩ Ｄ', 'SOMJAI DEEMAK', false],
    ['ເເສງ ຄໍາດີ', 'ແສງ ຄຳດີ', false],
    ['ຫນູ ຫມັ້ນ', 'ໜູ ໝັ້ນ', false],
    ['ນໍ້າ ຫລວງ', 'ນ້ຳ ຫຼວງ', false],
    // The same letters, of two persons.
    ['นำฝน ใจดี', 'น้ำฝน ใจดี', true],
    ['เดง สดใส', 'แดง สดใส', true],
    ['ຫນູ ວົງ', 'ນູ ວົງ', true],
  ]));

test("a sender's name truncated inside a combining character does not contradict the holder", () =>
  assertNameCases([
    ['สมชาย นํ', 'สมชาย น้ำใส', false],
    ['สมชาย น้', 'สมชาย น้ำใส', false],
    ['ว่าที่ร้อยตรี สมชา', 'สมชาย น้ำใส', false],
    ['สมชาย นิ', 'สมชาย น้ำใส', true],
  ]));

test('titles, ranks and degrees never contradict; another first name does', () => {
  const titles = [
    ['นาย', 'นาง ', 'นางสาว', 'น.ส.', 'น.ส. ', 'คุณ ', 'ม.ล.', 'หม่อมราชวงศ์', 'ดร.', 'ดร ', 'ศ.ดร.', 'ดร. นาย', 'รศ.นพ.'],
    ['ว่าที่ ร.ต.', 'ว่าที่ ร.ต. ', 'ว่าที่ร้อยตรี', 'ว่าที่ร้อยตรีหญิง ', 'ว่าที่ รต ', 'ร. ต. ', 'ร.ต ', 'รต '],
    ['จ.ส.อ.', 'จ.ส.อ. ', 'จสอ ', 'จ่าสิบเอก', 'พ.ต.อ. (พิเศษ) ', 'พล.ต.อ.', 'พลตำรวจเอก ', 'ด.ต.หญิง ', 'พลฯ', 'พ.อ.อ. '],
  ].flat();
  for (const title of titles) {
    assertNameCases([
      [`${title}สมชาย ใ`, 'สมชาย ใจดี', false],
      [`${title}สมชาย ใจดี`, 'จ.ส.อ. สมชาย ใจดี', false],
      [`${title}สมหมาย ใ`, 'สมชาย ใจดี', true],
      [`${title}สมหมาย ใ`, `${title}สมชาย ใจดี`, true],
      [`${title}SOMSAK J`, 'SOMCHAI JAIDEE', true],
    ]);
  }
  for (const title of [
    'MR ',
    'MRS.',
    'DR.',
    'DR ',
    'Asst. Prof. Dr. ',
    'POL.LT.COL. ',
    'POL LT COL ',
    'ACTING SUB LT ',
  ]) {
    assertNameCases([
      [`${title}SOMCHAI J`, 'SOMCHAI JAIDEE', false],
      [`${title}SOMSAK J`, 'SOMCHAI JAIDEE', true],
    ]);
  }
  for (const title of ['ທ້າວ', 'ທ້າວ ', 'ນາງ', 'ທ. ', 'ດຣ. ', 'ພັນເອກ ']) {
    assertNameCases([
      [`${title}ສົມສັກ ວ`, 'ສົມສັກ ວົງສາ', false],
      [`${title}ສົມພອນ ວ`, 'ສົມສັກ ວົງສາ', true],
    ]);
  }
});

test("a holder's name that begins like a title, or equals one, counts as a name", () =>
  assertNameCases([
    ['นายิกา ใ', 'นายิกา ใจดี', false],
    ['นายิกา ใ', 'ยิกา ใจดี', true],
    ['นางลักษณ์ ใ', 'นางลักษณ์ ใจดี', false],
    ['ดร ใ', 'ดร ใจดี', false],
    ['ดร ใจดี', 'ใจดี ดอน', true],
    ['ร.ต.สมชาย ใ', 'รัตน์ ใจดี', true],
    ['คุณากร ใ', 'คุณากร ใจดี', false],
    ['KHUNTHONG J', 'KHUNTHONG JAIDEE', false],
    ['KHUNTHONG J', 'THONG JAIDEE', true],
  ]));

test('an initial before one word is a first name, before two words a title', () =>
  assertNameCases([
    ['อ. ใจดี', 'อนันต์ ใจดี', false],
    ['อ. ใจดี', 'สมชาย ใจดี', true],
    ['อ. ใจดี', 'ใจดี มั่งมี', true],
    ['อ. สมชาย ใจดี', 'สมชาย ใจดี', false],
    ['ທ. ວົງສາ', 'ທອງ ວົງສາ', false],
    ['M.L. SOMCHAI JAIDEE', 'SOMCHAI JAIDEE', false],
  ]));

test('the last name may come first if it is complete, and hyphens may be blanks or missing', () =>
  assertNameCases([
    ['JAIDEE SOMCHAI', 'SOMCHAI JAIDEE', false],
    ['JAIDEE, SOMCHAI', 'SOMCHAI JAIDEE', false],
    ['ใจดี สมชาย', 'นาย สมชาย ใจดี', false],
    ['NA AYUTHAYA SOMCHAI', 'SOMCHAI NA AYUTHAYA', false],
    ['ANNE-MARIE S', 'ANNE MARIE SMITH', false],
    ['ANNEMARIE S', 'ANNE-MARIE SMITH', false],
    ['ANNE\u2011MARIE SMITH', 'ANNE-MARIE SMITH', false],
    ["SOMCHAI O'NEIL", 'SOMCHAI O’NEIL', false],
    ['JAIDEE S', 'SOMCHAI JAIDEE', false],
    ['JAIDEE S***', 'SOMCHAI JAIDEE', false],
    ['JAIDEE SOMSAK', 'SOMCHAI JAIDEE', true],
    ['JAIDEE K', 'SOMCHAI JAIDEE', true],
    ['JAIDEE ***', 'SOMCHAI JAIDEE', true],
    ['JAI S', 'SOMCHAI JAIDEE', true],
    ['JARUN S', 'SOMCHAI J', true],
  ]));

// Canonical spellings of Thai and Lao syllables, and equivalent typed spellings.
const SYLLABLES = ['น้ำ', 'แก้ว', 'ศรี', 'ใจ', 'ทิพย์', 'กุ้ง', 'ผึ้ง', 'เกาะ', 'สุข', 'ปู่', 'คำ', 'จันทร์', 'เด่น', 'ใหญ่', 'ก๋า'];
const LAO_SYLLABLES = ['ນ້ຳ', 'ແສງ', 'ໜູ', 'ໝັ້ນ', 'ຫຼ້າ', 'ຄຳ', 'ພໍ່', 'ເຂົ້າ', 'ບຸນ', 'ໃຈ', 'ແກ້ວ'];
const TYPING_VARIANTS: Readonly<Record<string, string[]>> = {
  น้ำ: ['นํ้า', 'น้ํา', 'นำ้', 'นํา้'],
  แก้ว: ['เเก้ว'],
  กุ้ง: ['กุ้ง'],
  ผึ้ง: ['ผ้ึง'],
  ปู่: ['ปู่'],
  คำ: ['คํา'],
  ก๋า: ['กา๋'],
  ນ້ຳ: ['ນໍ້າ', 'ນ້ໍາ', 'ນຳ້', 'ນໍາ້'],
  ແສງ: ['ເເສງ'],
  ໜູ: ['ຫນູ'],
  ໝັ້ນ: ['ຫມັ້ນ', 'ໝ້ັນ'],
  ຫຼ້າ: ['ຫລ້າ', 'ຫຼາ້'],
  ຄຳ: ['ຄໍາ'],
  ພໍ່: ['ພ່ໍ'],
  ເຂົ້າ: ['ເຂ້ົາ'],
  ແກ້ວ: ['ເເກ້ວ'],
};
const INVISIBLE_CHARACTERS = ['', '', '\u200b', '\u200d', '\u2060', '\ufeff', '\u00ad'];
const arbitrarySyllable = (syllables: readonly string[]) =>
  fc.record({
    syllable: fc.constantFrom(...syllables),
    variantIndex: fc.nat(9),
    hidden: fc.constantFrom(...INVISIBLE_CHARACTERS),
  });
const arbitraryWord = (syllables: readonly string[]) =>
  fc.array(arbitrarySyllable(syllables), { minLength: 1, maxLength: 4 });
type RandomSyllable = { syllable: string; variantIndex: number; hidden: string };
const exactName = (syllables: readonly RandomSyllable[]): string =>
  syllables.map((syllable) => syllable.syllable).join('');
const mistypedName = (syllables: readonly RandomSyllable[]): string =>
  syllables
    .map((syllable) => {
      const spellings = [syllable.syllable, ...(TYPING_VARIANTS[syllable.syllable] ?? [])];
      return `${spellings[syllable.variantIndex % spellings.length] ?? ''}${syllable.hidden}`;
    })
    .join('');

for (const syllables of [SYLLABLES, LAO_SYLLABLES]) {
  test(`variants of ${syllables[0] ?? ''} and similar syllables have one normal spelling, and a correct name stays unchanged`, () =>
    fc.assert(
      fc.property(arbitraryWord(syllables), arbitraryWord(syllables), (first, last) => {
        assert.equal(canonicalSpelling(exactName(first)), exactName(first));
        assert.equal(
          canonicalSpelling(`${mistypedName(first)}\u00a0 ${mistypedName(last)}`),
          `${exactName(first)} ${exactName(last)}`,
        );
        assert.equal(
          namesConflict(`${mistypedName(first)} ${mistypedName(last)}`, `${exactName(first)} ${exactName(last)}`),
          false,
        );
      }),
      { numRuns: 1000 },
    ));

  test(`two first names like ${syllables[0] ?? ''} contradict in every spelling and with every title`, () =>
    fc.assert(
      fc.property(
        arbitraryWord(syllables),
        arbitraryWord(syllables),
        arbitraryWord(syllables),
        fc.constantFrom('', 'นาย ', 'ดร. ', 'จ.ส.อ.', 'ທ້າວ '),
        (first, otherName, last, title) => {
          fc.pre(
            exactName(first) !== exactName(otherName) &&
              exactName(first) !== exactName(last) &&
              exactName(otherName) !== exactName(last),
          );
          assert.ok(
            namesConflict(
              `${title}${mistypedName(first)} ${mistypedName(last)}`,
              `${mistypedName(otherName)} ${mistypedName(last)}`,
            ),
          );
        },
      ),
      { numRuns: 1000 },
    ));
}
