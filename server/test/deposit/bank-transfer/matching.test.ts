import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  matchesMask,
  type AccountHolder,
  visiblePattern,
  matchSender,
} from '../../../src/modules/deposit/bank-transfer/match-sender.ts';

/** The real sender, and what the receiving bank shows. Independent of the tested rules. */
const masks: Readonly<Record<string, (accountNo: string) => string>> = {
  'bank:SCB-4680001234': (no) =>
    no.length === 10 ? `xxx-x-x${no.slice(5, 9)}-x` : `${'x'.repeat(no.length - 5)}${no.slice(-5, -1)}x`,
  'bank:KBANK-1238004567': (no) => `${'x'.repeat(no.length - 6)}${no.slice(-6)}`,
  'bank:BCEL-010120001234567': (no) => `${no.slice(0, 3)}${'x'.repeat(no.length - 7)}${no.slice(-4)}`,
};
const houses = Object.keys(masks);
const SENT_AT = new Date('2026-11-21T15:02:11.123+07:00');

// Few digits, so that visible patterns often coincide.
const accountNo = fc.oneof(
  fc.array(fc.constantFrom('1', '2'), { minLength: 10, maxLength: 10 }).map((digits) => digits.join('')),
  fc.array(fc.constantFrom('1', '2'), { minLength: 12, maxLength: 12 }).map((digits) => digits.join('')),
);
const name = fc.constantFrom('SOMJAI DEEMAK', 'SOMJAI DEE', 'MALI SUANDEE', 'มะลิ สวนดี', 'ใจดี มีสุข');
const shortened = (full: string): string => {
  const [first = '', last = ''] = full.split(' ');
  return `${first} ${last.slice(0, 1)}`;
};
const holders = fc
  .uniqueArray(fc.record({ accountNo, accountName: name }), { maxLength: 12, selector: (one) => one.accountNo })
  .map((list) => list.map((one, at): AccountHolder => ({ ...one, memberId: `member-${at}`, since: SENT_AT })));

test('no transfer is ever matched to a member whose account it contradicts, nor to one of several by guess [R-DEP-04]', () => {
  let picked = 0;
  let several = 0;
  fc.assert(
    fc.property(
      holders,
      fc.record({ accountNo, accountName: name }),
      fc.constantFrom(...houses),
      fc.array(fc.nat(12)),
      (members, stranger, house, announced) => {
        const noticeOf = new Set(announced.map((at) => `member-${at}`));
        const mask = masks[house] as (no: string) => string;
        for (const sender of [stranger, ...members]) {
          const shown = { account: mask(sender.accountNo), name: shortened(sender.accountName) };
          const match = matchSender({ maskedSenders: [shown], sentAt: SENT_AT }, members, noticeOf);
          const alike = members.filter((one) => mask(one.accountNo) === mask(sender.accountNo));
          if (match.match === 'MEMBER') {
            picked += 1;
            assert.ok(
              alike.some(({ memberId }) => memberId === match.memberId),
              JSON.stringify({ shown, match, members }),
            );
            if (match.by === 'NOTICE') assert.ok(noticeOf.has(match.memberId));
          }
          if (match.match === 'SEVERAL') several += 1;
          // A transfer from a member's own account is never reported as unregistered.
          if (sender !== stranger) assert.notEqual(match.match, 'NOBODY', JSON.stringify({ shown, sender }));
        }
      },
    ),
    { numRuns: 400 },
  );
  assert.ok(picked > 100 && several > 20, `${picked} picked, ${several} several`);
});

test('the only member who looks like the sender is found, whatever the mask [R-DEP-04]', () => {
  fc.assert(
    fc.property(holders, fc.constantFrom(...houses), (members, house) => {
      const mask = masks[house] as (no: string) => string;
      for (const sender of members) {
        if (members.filter((one) => mask(one.accountNo) === mask(sender.accountNo)).length > 1) continue;
        const shown = { account: mask(sender.accountNo), name: shortened(sender.accountName) };
        assert.deepEqual(matchSender({ maskedSenders: [shown], sentAt: SENT_AT }, members, new Set()), {
          match: 'MEMBER',
          memberId: sender.memberId,
          by: 'ACCOUNT',
        });
      }
    }),
    { numRuns: 200 },
  );
});

test('two members have the same look at an account exactly when its mask shows them alike', () => {
  fc.assert(
    fc.property(accountNo, accountNo, fc.constantFrom(...houses), (one, other, house) => {
      const mask = masks[house] as (no: string) => string;
      const look = (no: string) => visiblePattern(house, { bankCode: 'SCB', accountNo: no });
      assert.equal(look(one) === look(other), mask(one) === mask(other));
    }),
  );
});

test('a mask that omits digits, hides nearly all, or is no number matches no member', () => {
  const account = '1234567890';
  for (const [shown, agrees] of [
    ['xxx-x-x6789-x', true],
    ['xXx X X6789 X', true],
    ['***-*-*6789-*', true],
    ['1234567890', true],
    ['xxx-x-x6780-x', false],
    ['6789', false],
    ['xxxxxxxxx0', false],
    ['xxxxxxxx90', false],
    ['', false],
    ['xxx-x-x6789-xx', false],
    ['abc-d-e6789-f', false],
    ['๑๒๓-๔-๕6789-x', false],
  ] as const) {
    assert.equal(matchesMask(shown, account), agrees, shown);
  }
});
