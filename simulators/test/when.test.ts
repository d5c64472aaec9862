import assert from 'node:assert/strict';
import { test } from 'node:test';

type WhenModule = Record<'dayOf' | 'weekdayOf' | 'momentOf' | 'dateOf', (at: number, language: string) => string> & {
  timeOf: (at: number) => string;
  isSameDay: (firstTime: number, secondTime: number) => boolean;
};
const when = (await import(new URL('../public/when.js', import.meta.url).href)) as WhenModule;

test("the simulators' days and times are in Bangkok's time zone, worded in each language", () => {
  const newYear = Date.UTC(2026, 11, 31, 17, 5);
  assert.equal(when.timeOf(newYear), '00:05');
  assert.equal(when.weekdayOf(newYear, 'la'), 'ວັນສຸກ 1 ມັງກອນ');
  assert.equal(when.weekdayOf(newYear, 'en'), 'Friday 1 January');
  assert.match(when.weekdayOf(newYear, 'th'), /ศุกร์.* 1 มกราคม/);
  assert.equal(when.dayOf(newYear, 'la'), '1 ມັງກອນ');
  assert.equal(when.momentOf(newYear, 'la'), '1 ມັງກອນ 00:05');
  assert.equal(when.dateOf(newYear, 'la'), '1 ມັງກອນ 2027 00:05');
  assert.ok(when.isSameDay(newYear, Date.UTC(2027, 0, 1, 16, 59)));
  assert.ok(!when.isSameDay(newYear, newYear - 6 * 60_000));
});
