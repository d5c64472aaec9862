const RANKS = '(?:พล|พัน|ร้อย|จ่าสิบ|สิบ|ดาบ)(?:ตำรวจ|อากาศ|เรือ)?(?:เอก|โท|ตรี)(?:หญิง)?';
const THAI_TITLES = `นางสาว|นาง|นาย|ว่าที่|\\(พิเศษ\\)|${RANKS}|(?:[ก-ฮ]{1,3}\\.\\s?)+(?:หญิง)?`;
const TITLES = new RegExp(
  `^(?:${THAI_TITLES}|ທ້າວ|ນາງ|(?:mrs?|ms|miss|dr|prof|acting|sub|lt|pol|maj|col|capt)(?:\\.\\s?|\\s))\\s*`,
  'i',
);

/** Look-alike spellings: doubled vowels and marks in another order. Lao is 0x80 above Thai. */
const SPELLINGS: readonly (readonly [RegExp, string])[] = [
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

/** A name normalised for comparison: spelling, titles, case, hyphens, blanks and word order. */
export function plainName(name: string): string {
  let plain = name
    .normalize('NFC')
    .replaceAll(/\p{Default_Ignorable_Code_Point}|\p{Pd}/gu, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
  for (const [typed, right] of SPELLINGS) plain = plain.replaceAll(typed, right);
  while (TITLES.test(plain) && plain.replace(TITLES, '') !== '') plain = plain.replace(TITLES, '');
  return plain.toLowerCase().split(' ').toSorted().join('');
}
