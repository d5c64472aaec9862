import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAddressFilter, isOpenAt } from '../../src/modules/operator-data/operator-data.ts';

test('closed hours are in Thai time and may include midnight', () => {
  const isOpen = (utcTime: string): boolean => isOpenAt(new Date(`2026-03-01T${utcTime}:00Z`), '23:30', '00:30');
  assert.equal(isOpen('16:29'), true);
  assert.equal(isOpen('16:30'), false);
  assert.equal(isOpen('17:00'), false);
  assert.equal(isOpen('17:29'), false);
  assert.equal(isOpen('17:30'), true);
  assert.equal(isOpenAt(new Date('2026-03-01T05:00:00Z'), '11:00', '13:00'), false);
  assert.equal(isOpenAt(new Date('2026-03-01T06:00:00Z'), '11:00', '13:00'), true);
  assert.equal(isOpenAt(new Date('2026-03-01T06:00:00Z'), '00:00', '00:00'), true);
});

test('callers in denied networks are refused, and with allowed networks all others too', () => {
  const openFilter = createAddressFilter([]);
  assert.equal(openFilter('203.0.113.1'), true);
  const denyFilter = createAddressFilter([
    { network: '203.0.113.0/24', verdict: 'deny' },
    { network: '2001:db8::/32', verdict: 'deny' },
  ]);
  assert.deepEqual(['203.0.113.1', '2001:db8:1::1', '203.0.114.1', '2001:db9::1'].map(denyFilter), [
    false,
    false,
    true,
    true,
  ]);
  const allowFilter = createAddressFilter([
    { network: '10.0.0.0/8', verdict: 'allow' },
    { network: '10.9.0.0/16', verdict: 'deny' },
  ]);
  assert.deepEqual(['10.1.1.1', '10.9.1.1', '203.0.113.1', '::1'].map(allowFilter), [true, false, false, false]);
});
