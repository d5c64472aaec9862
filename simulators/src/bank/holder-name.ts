const RANK_PATTERN = '(?:พล|พัน|ร้อย|จ่าสิบ|สิบ|ดาบ)(?:ตำรวจ|อากาศ|เรือ)?(?:เอก|โท|ตรี)(?:หญิง)?';
const THAI_TITLES = `นางสาว|นาง|นาย|ว่าที่|\\(พิเศษ\\)|${RANK_PATTERN}|(?:[ก-ฮ]{1,3}\\.\\s?)+(?:หญิง)?`;
const TITLE_PATTERN = new RegExp(
  `^(?:${THAI_TITLES}|ທ້າວ|ນາງ|(?:mrs?|ms|miss|dr|prof|acting|sub|lt|pol|maj|col|capt)(?:\\.\\s?|\\s))\\s*`,
  'i',
);

/** Corrections of look-alike spellings: doubled vowels and reordered marks. Lao is 0x80 above Thai. */
const SPELLING_CORRECTIONS: readonly (readonly [RegExp, string])[] = [
  [/เเ/g, 'แ'],
  [/ເເ/g, 'ແ'],
  [/\u0e4d([\u0e48-\u0e4b]?)\u0e32/g, '$1\u0e33'],
  [/([\u0e48-\u0e4b])\u0e4d\u0e32/g, '$1\u0e33'],
  [/\u0e33([\u0e48-\u0e4b])/g, '$1\u0e33'],
  [/\u0ecd([\u0ec8-\u0ecb]?)\u0eb2/g, '$1\u0eb3'],
  [/([\u0ec8-\u0ecb])\u0ecd\u0eb2/g, '$1\u0eb3'],
  [/\u0eb3([\u0ec8-\u0ecb])/g, '$1\u0eb3'],
  [/ຫນ/g, 'ໜ'],
  [/ຫມ/g, 'ໝ'],
  [/ຫລ/g, 'ຫຼ'],
];

/** Normalises a name for comparison: spelling, titles, case, hyphens, blanks and word order. */
export function plainName(name: string): string {
  let strippedName = name
    .normalize('NFC')
    .replaceAll(/\p{Default_Ignorable_Code_Point}|\p{Pd}/gu, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
  for (const [typedSpelling, correctSpelling] of SPELLING_CORRECTIONS)
    strippedName = strippedName.replaceAll(typedSpelling, correctSpelling);
  while (TITLE_PATTERN.test(strippedName) && strippedName.replace(TITLE_PATTERN, '') !== '')
    strippedName = strippedName.replace(TITLE_PATTERN, '');
  return strippedName.toLowerCase().split(' ').toSorted().join('');
}
