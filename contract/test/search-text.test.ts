import assert from 'node:assert/strict';
import { test } from 'node:test';
import { matchesSearch } from '../src/text/search-text.ts';

const NAMES = ['Évening on the Canal 24', 'ตลาดน้ำยามค่ำ ๒๔', 'ຕະຫຼາດນ້ຳ ໒໔', 'U-Sun', 'แคนดี้', 'ໜັງເສືອ'];

for (const [kind, searches] of Object.entries({
  'capitals and small letters': ['EVENING', 'evening'],
  'accents, composed or not': ['e\u0301vening', '\u00e9vening', 'Evening'],
  'full-width letters': ['ｃａｎａｌ'],
  'digits of every script': ['24', '๒๔', '໒໔', '２４', 'canal ๒4'],
  'blanks, dashes and dots': ['u sun', 'usun', 'U–Sun', 'onthecanal', '  canal\u00a0on  '],
  'invisible characters': ['can\u200bal', '\ufeffcanal', 'ca\u00adnal', 'ตลาด\u200bน้ำ', '\u2060ຕະ\u200dຫຼາດ\ufe0f'],
  'SARA AM in one character or two, with the tone mark in either place': [
    'น้ำ',
    'น\u0e49\u0e4d\u0e32',
    'น\u0e4d\u0e49\u0e32',
    'ນ\u0ec9\u0ecd\u0eb2',
    'ນ\u0ecd\u0ec9\u0eb2',
  ],
  'SARA AE typed as two SARA E': ['เเคนดี้'],
  'a Lao ligature and its letters': ['ຫນັງ', 'ໜັງ'],
  'words of several names, in any order': ['canal ตลาด', 'usun evening'],
  'every name for an empty text': ['', ' ', '\u200b'],
}))
  test(`a search finds ${kind} [R-WALLET-04]`, () => {
    for (const search of searches) assert.ok(matchesSearch(NAMES, search), JSON.stringify(search));
  });

test('a search finds neither text that is in no name, nor patterns [R-WALLET-04]', () => {
  for (const search of ['%', '_', '.*', '[', '\\', '25', '๒๕', 'canal moon', 'ตลาดบก', 'x'.repeat(10_000)])
    assert.ok(!matchesSearch(NAMES, search), JSON.stringify(search.slice(0, 20)));
});
