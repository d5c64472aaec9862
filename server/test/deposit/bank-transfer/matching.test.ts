import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  matchesMask,
  type AccountHolder,
  visiblePattern,
  matchSender,
} from '../../../src/modules/deposit/bank-transfer/match-sender.ts';

/** The visible digits of a sender at each receiving bank. Independent of the tested rules. */
const MASKS: Readonly<Record<string, (accountNo: string) => string>> = {
  'bank:SCB-4680001234': (accountNo) =>
    accountNo.length === 10
      ? `xxx-x-x${accountNo.slice(5, 9)}-x`
      : `${'x'.repeat(accountNo.length - 5)}${accountNo.slice(-5, -1)}x`,
  'bank:KBANK-1238004567': (accountNo) => `${'x'.repeat(accountNo.length - 6)}${accountNo.slice(-6)}`,
  'bank:BCEL-010120001234567': (accountNo) =>
    `${accountNo.slice(0, 3)}${'x'.repeat(accountNo.length - 7)}${accountNo.slice(-4)}`,
};
const HOUSE_ACCOUNTS = Object.keys(MASKS);
const SENT_AT = new Date('2026-11-21T15:02:11.123+07:00');

// Few digits, so that visible patterns often coincide.
const accountNo = fc.oneof(
  fc.array(fc.constantFrom('1', '2'), { minLength: 10, maxLength: 10 }).map((digits) => digits.join('')),
  fc.array(fc.constantFrom('1', '2'), { minLength: 12, maxLength: 12 }).map((digits) => digits.join('')),
);
const name = fc.constantFrom('SOMJAI DEEMAK', 'SOMJAI DEE', 'MALI SUANDEE', 'มะลิ สวนดี', 'ใจดี มีสุข');
const shortenName = (fullName: string): string => {
  const [first = '', last = ''] = fullName.split(' ');
  return `${first} ${last.slice(0, 1)}`;
};
const arbitraryHolders = fc
  .uniqueArray(fc.record({ accountNo, accountName: name }), { maxLength: 12, selector: (holder) => holder.accountNo })
  .map((holders) =>
    holders.map((holder, index): AccountHolder => ({ ...holder, memberId: `member-${index}`, since: SENT_AT })),
  );

test('a transfer is never matched to a member whose account contradicts it, nor to one of several candidates [R-DEP-04]', () => {
  let chosenCount = 0;
  let severalCount = 0;
  fc.assert(
    fc.property(
      arbitraryHolders,
      fc.record({ accountNo, accountName: name }),
      fc.constantFrom(...HOUSE_ACCOUNTS),
      fc.array(fc.nat(12)),
      (members, unknownSender, houseAccount, announcedIndexes) => {
        const announcedMemberIds = new Set(announcedIndexes.map((index) => `member-${index}`));
        const mask = MASKS[houseAccount] as (accountNo: string) => string;
        for (const sender of [unknownSender, ...members]) {
          const shownSender = { account: mask(sender.accountNo), name: shortenName(sender.accountName) };
          const match = matchSender({ maskedSenders: [shownSender], sentAt: SENT_AT }, members, announcedMemberIds);
          const lookAlikes = members.filter((member) => mask(member.accountNo) === mask(sender.accountNo));
          if (match.match === 'MEMBER') {
            chosenCount += 1;
            assert.ok(
              lookAlikes.some(({ memberId }) => memberId === match.memberId),
              JSON.stringify({ shown: shownSender, match, members }),
            );
            if (match.by === 'NOTICE') assert.ok(announcedMemberIds.has(match.memberId));
          }
          if (match.match === 'SEVERAL') severalCount += 1;
          // A transfer from a member's own account is never reported as unregistered.
          if (sender !== unknownSender)
            assert.notEqual(match.match, 'NOBODY', JSON.stringify({ shown: shownSender, sender }));
        }
      },
    ),
    { numRuns: 400 },
  );
  assert.ok(chosenCount > 100 && severalCount > 20, `${chosenCount} picked, ${severalCount} several`);
});

test('the only member whose account fits the mask is found, whatever the mask [R-DEP-04]', () => {
  fc.assert(
    fc.property(arbitraryHolders, fc.constantFrom(...HOUSE_ACCOUNTS), (members, houseAccount) => {
      const mask = MASKS[houseAccount] as (accountNo: string) => string;
      for (const sender of members) {
        if (members.filter((member) => mask(member.accountNo) === mask(sender.accountNo)).length > 1) continue;
        const shownSender = { account: mask(sender.accountNo), name: shortenName(sender.accountName) };
        assert.deepEqual(matchSender({ maskedSenders: [shownSender], sentAt: SENT_AT }, members, new Set()), {
          match: 'MEMBER',
          memberId: sender.memberId,
          by: 'ACCOUNT',
        });
      }
    }),
    { numRuns: 200 },
  );
});

test('two accounts look alike to a mask exactly if it shows the same digits of both', () => {
  fc.assert(
    fc.property(
      accountNo,
      accountNo,
      fc.constantFrom(...HOUSE_ACCOUNTS),
      (firstAccountNo, otherAccountNo, houseAccount) => {
        const mask = MASKS[houseAccount] as (accountNo: string) => string;
        const patternOf = (accountNo: string) => visiblePattern(houseAccount, { bankCode: 'SCB', accountNo });
        assert.equal(
          patternOf(firstAccountNo) === patternOf(otherAccountNo),
          mask(firstAccountNo) === mask(otherAccountNo),
        );
      },
    ),
  );
});

test('a mask that omits digits, hides nearly all, or has no digits matches no member', () => {
  const account = '1234567890';
  for (const [shownAccount, isMatch] of [
    ['xxx-x-x6789-x', true],
    ['xXx X X6789 X', true],
    ['***-*-*6789-*', true],
    ['1234567890', true],
    ['xxx-x-x6780-x', false],
    ['6789', false],
    ['xxxxxxxxx0', false],
    ['xxxxxxxx90', false],
    ['xxxxxxx890', true],
    ['', false],
    ['xxx-x-x6789-xx', false],
    ['abc-d-e6789-f', false],
    ['๑๒๓-๔-๕6789-x', false],
  ] as const) {
    assert.equal(matchesMask(shownAccount, account), isMatch, shownAccount);
  }
});

test('a member whose account was registered over two minutes after a transfer is not its sender', () => {
  const holderSince = (afterMs: number): AccountHolder => ({
    memberId: 'member',
    accountNo: '1234567890',
    accountName: 'SOMJAI DEEMAK',
    since: new Date(SENT_AT.getTime() + afterMs),
  });
  const sender = { maskedSenders: [{ account: 'xxx-x-x6789-x', name: 'SOMJAI DEEMAK' }], sentAt: SENT_AT };
  assert.equal(matchSender(sender, [holderSince(120_000)], new Set()).match, 'MEMBER');
  assert.equal(matchSender(sender, [holderSince(120_001)], new Set()).match, 'TOO_NEW');
});
