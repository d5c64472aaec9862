import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readOneTimeCode } from '../src/text/one-time-code.ts';

/** The code of a text, `…` after the digits of an unfinished one, or '?'. */
function read(text: string): string {
  const result = readOneTimeCode(text);
  if (result.kind === 'unclear') return '?';
  return result.kind === 'code' ? result.digits : `${result.digits}…`;
}

test('the six-digit code of a pasted message is found, whatever other numbers surround it', () => {
  for (const message of [
    'LUCKY88: รหัส OTP ของคุณคือ 123456 (Ref: AB12) ใช้ได้ภายใน 5 นาที ห้ามบอกรหัสนี้กับผู้อื่น',
    'LUCKY88: ລະຫັດ OTP ຂອງທ່ານແມ່ນ 123456 (Ref: AB12) ໃຊ້ໄດ້ພາຍໃນ 5 ນາທີ',
    'Krapao: Your OTP is 123456 (Ref: 4821), valid for 5 minutes.',
    'รหัส OTP คือ ๑๒๓๔๕๖ ใช้ได้ภายใน ๕ นาที',
    'ລະຫັດ OTP ແມ່ນ ໑໒໓໔໕໖',
    'รหัสของคุณคือ123456ห้ามบอกผู้อื่น',
    '<#> 123456 is your code. FA+9qCX9VSu',
    'G-123456 is your verification code.',
    'Your code: 123 456. Call 02-123-4567 for help.',
    'Your code is 123-456',
    'code 1 2 3 4 5 6 from LUCKY88',
    'OTP=123456 Ref=654321',
    'Ref: 654321 OTP: 123456',
    'Reference code: 654321 / OTP 123456',
    'LUCKY 88 123456 29/11/69 12:30',
    'รหัสอ้างอิง 654321 รหัส OTP 123456 โทร 0812345678',
    'โอน 123456.00 บาท หรือ ฿987654 ยืนยันด้วย 123456',
    'LUCKY888888 OTP 123456',
    '123456 ใช้ได้ถึง 29/11/2569 12:30:45 น.',
    'OTP 123456 เข้าบัญชี x-654321 ยอด 100,000.00 บาท',
    'Your OTP is 123456\n@play.example.com #123456',
    'Order 111111, code 222222\n@play.example.com #123456',
    '\u202a123456\u202c',
    '\ufeff123\u200b456',
    '１２３４５６',
    'Your code: 123456. Again: 123456',
  ])
    assert.equal(read(message), '123456', message);
});

test('a text with two SMS codes or none is ambiguous, and none is chosen', () => {
  for (const text of [
    '0812345678',
    '081-234-5678',
    '+66 81 234 5678',
    '123456 654321',
    '1234567',
    'OTP 123456 แล้วก็ OTP 654321',
    'LUCKY88: รหัส OTP คือ 1234 (Ref: 5678)',
    'Ref: 123456',
    'ติดต่อ 02 123456',
    '12 345 678 90 x',
    'โทร 0812345678',
    'ยอดเงิน 123456.50 บาท',
    'https://play.example.com/123456',
    'LUCKY123456',
    `${'9'.repeat(5_000)}`,
    `${'1 '.repeat(1_000)}x`,
  ])
    assert.equal(read(text), '?', text.slice(0, 60));
});

test('an incomplete SMS code keeps its typed digits', () => {
  for (const [text, digits] of [
    ['', '…'],
    ['1', '1…'],
    ['๑๒', '12…'],
    ['12-', '12…'],
    ['12a', '12…'],
    ['LUCKY88', '88…'],
    ['12345', '12345…'],
  ] as const)
    assert.equal(read(text), digits, text);
});

test('a hostile text is searched for an SMS code within milliseconds', () => {
  const begin = performance.now();
  for (const text of ['Ref '.repeat(20_000), '1-'.repeat(50_000), `${' '.repeat(90_000)}x`, '@a'.repeat(50_000)])
    readOneTimeCode(text);
  assert.ok(performance.now() - begin < 1_000);
});
