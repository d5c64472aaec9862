import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAddressFilter, isOpenAt } from '../../src/modules/lookup/lookup.ts';

test('closed hours are Thai time and may go over midnight', () => {
  const at = (utc: string): boolean => isOpenAt(new Date(`2026-03-01T${utc}:00Z`), '23:30', '00:30');
  assert.equal(at('16:29'), true);
  assert.equal(at('16:30'), false);
  assert.equal(at('17:00'), false);
  assert.equal(at('17:29'), false);
  assert.equal(at('17:30'), true);
  assert.equal(isOpenAt(new Date('2026-03-01T05:00:00Z'), '11:00', '13:00'), false);
  assert.equal(isOpenAt(new Date('2026-03-01T06:00:00Z'), '11:00', '13:00'), true);
  assert.equal(isOpenAt(new Date('2026-03-01T06:00:00Z'), '00:00', '00:00'), true);
});

test('denied networks are refused; with allowed ones all others are refused too', () => {
  const open = createAddressFilter([]);
  assert.equal(open('203.0.113.1'), true);
  const deny = createAddressFilter([
    { network: '203.0.113.0/24', verdict: 'deny' },
    { network: '2001:db8::/32', verdict: 'deny' },
  ]);
  assert.deepEqual(['203.0.113.1', '2001:db8:1::1', '203.0.114.1', '2001:db9::1'].map(deny), [
    false,
    false,
    true,
    true,
  ]);
  const allow = createAddressFilter([
    { network: '10.0.0.0/8', verdict: 'allow' },
    { network: '10.9.0.0/16', verdict: 'deny' },
  ]);
  assert.deepEqual(['10.1.1.1', '10.9.1.1', '203.0.113.1', '::1'].map(allow), [true, false, false, false]);
});
