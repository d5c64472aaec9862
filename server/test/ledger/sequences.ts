import { minor } from '@krapao/contract/money';
import fc from 'fast-check';
import type { AccountRef, Operation } from '../../src/ledger/types.ts';

const KEY_COUNT = 24;
const AMOUNT_MAX = 60;

const accountsOf = (member: string): AccountRef[] => [
  { member, kind: 'WALLET' },
  { member, kind: 'GAME:pg' },
  { houseAccount: 'bank' },
  { houseAccount: 'provider:pg' },
];
/** Account pairs that one operation may use, by index in {@link accountsOf}. */
const ACCOUNT_PAIRS = [
  [0, 1],
  [1, 0],
  [2, 0],
  [2, 0],
  [3, 1],
  [0, 2],
  [1, 3],
] as const;

type RawOperation = {
  type: Operation['type'];
  key: number;
  pending: number;
  pair: number;
  amount: number;
  named: boolean;
};

const arbitraryOperation = fc.record<RawOperation>({
  type: fc.constantFrom('transfer', 'transfer', 'hold', 'hold', 'post', 'post', 'void', 'void', 'adjust', 'mark'),
  // Few keys, so that the same key repeats, with the same request and with another.
  key: fc.nat(KEY_COUNT - 1),
  pending: fc.nat(KEY_COUNT - 1),
  pair: fc.nat(ACCOUNT_PAIRS.length - 1),
  amount: fc.integer({ min: 1, max: AMOUNT_MAX }),
  named: fc.nat(5).map((randomNumber) => randomNumber === 0),
});

/** A group, or the distance back to the group to repeat. */
type SequenceStep = RawOperation[] | number;

/** Groups of one to three operations of one member, with few keys and small amounts, so that they often conflict. */
export function arbitrarySequences(length: { min: number; max: number }): fc.Arbitrary<SequenceStep[]> {
  const group = fc.oneof(
    { weight: 1, arbitrary: fc.nat(5) },
    { weight: 3, arbitrary: fc.array(arbitraryOperation, { minLength: 1, maxLength: 1 }) },
    {
      weight: 1,
      arbitrary: fc.uniqueArray(arbitraryOperation, { minLength: 2, maxLength: 3, selector: ({ key }) => key }),
    },
  );
  return fc.array(group, { minLength: length.min, maxLength: length.max, size: 'max' });
}

/** Builds a member's operations from random values. `prefix` separates the keys of different runs. */
export function buildOperations(steps: SequenceStep[], member: string, prefix: string): Operation[][] {
  const wallet = { member, kind: 'WALLET' as const };
  const deposit = { key: `${prefix}:deposit`, kind: 'deposit', memberId: member, reference: 'D', actor: 'callback' };
  const amount = minor(BigInt(3 * AMOUNT_MAX));
  const groups: Operation[][] = [
    [{ ...deposit, type: 'transfer', debit: { houseAccount: 'bank' }, credit: wallet, amount }],
  ];
  const holdKeys: number[] = [];
  for (const sequenceStep of steps) {
    if (typeof sequenceStep === 'number') {
      groups.push(groups.at(-1 - sequenceStep) ?? (groups[0] as Operation[]));
      continue;
    }
    const group = sequenceStep.map((rawOperation) => {
      // Most resolutions name an attempted hold; the others name any key.
      const pendingKeyNumber =
        rawOperation.pending % 4 === 0
          ? rawOperation.pending
          : (holdKeys.at(-1 - (rawOperation.pending % 3)) ?? rawOperation.pending);
      if (rawOperation.type === 'hold') holdKeys.push(rawOperation.key);
      return toOperation({ ...rawOperation, pending: pendingKeyNumber }, member, prefix);
    });
    groups.push(group);
  }
  return groups;
}

function toOperation(
  { type, key, pending, pair, amount, named }: RawOperation,
  member: string,
  prefix: string,
): Operation {
  const [from, to] = ACCOUNT_PAIRS[pair] as (typeof ACCOUNT_PAIRS)[number];
  const knownAccounts = accountsOf(member);
  const baseFields = {
    kind: 'transfer',
    memberId: member,
    actor: 'member',
    reference: `R${key}`,
    key: `${prefix}:${key}`,
  };
  const [debit, credit] = [knownAccounts[from] as AccountRef, knownAccounts[to] as AccountRef];
  const wallet = knownAccounts[0] as AccountRef;
  if (type === 'adjust') {
    return {
      ...baseFields,
      type,
      debit: { houseAccount: 'provider:pg' },
      credit: knownAccounts[1] as AccountRef,
      target: minor(BigInt(amount)),
    };
  }
  if (type === 'transfer') return { ...baseFields, type, debit, credit, amount: minor(BigInt(amount)) };
  if (type === 'mark') return { ...baseFields, type, debit: wallet, credit: { houseAccount: 'bank' } };
  // Holds are on the wallet, for one of two accounts, so that posts and voids often name the right accounts.
  const adjustedAccount = (pair === 0 ? { houseAccount: 'bank' } : knownAccounts[1]) as AccountRef;
  if (type === 'hold')
    return { ...baseFields, type, debit: wallet, credit: adjustedAccount, amount: minor(BigInt(amount)) };
  const amountFields = named ? { amount: minor(BigInt(amount)) } : {};
  return {
    ...baseFields,
    type,
    debit: wallet,
    credit: adjustedAccount,
    pendingKey: `${prefix}:${pending}`,
    ...amountFields,
  };
}
