import { minor } from '@krapao/contract/money';
import fc from 'fast-check';
import type { AccountRef, Operation } from '../../src/ledger/types.ts';

const KEYS = 24;
const AMOUNT_MAX = 60;

const accounts = (member: string): AccountRef[] => [
  { member, kind: 'WALLET' },
  { member, kind: 'GAME:pg' },
  { house: 'bank' },
  { house: 'provider:pg' },
];
/** Pairs that may stand in one operation, by place in {@link accounts}. */
const PAIRS = [
  [0, 1],
  [1, 0],
  [2, 0],
  [2, 0],
  [3, 1],
  [0, 2],
  [1, 3],
] as const;

type Raw = { type: Operation['type']; key: number; pending: number; pair: number; amount: number; named: boolean };

const raw = fc.record<Raw>({
  type: fc.constantFrom('transfer', 'transfer', 'hold', 'hold', 'post', 'post', 'void', 'void', 'adjust', 'mark'),
  // Few keys: the same one comes back, with the same request and with another.
  key: fc.nat(KEYS - 1),
  pending: fc.nat(KEYS - 1),
  pair: fc.nat(PAIRS.length - 1),
  amount: fc.integer({ min: 1, max: AMOUNT_MAX }),
  named: fc.nat(5).map((drawn) => drawn === 0),
});

/** A group, or the distance back to the group that is sent again. */
type Step = Raw[] | number;

/** Groups of one to three operations of one member, over few keys and small amounts, so that everything collides. */
export function sequences(length: { min: number; max: number }): fc.Arbitrary<Step[]> {
  const group = fc.oneof(
    { weight: 1, arbitrary: fc.nat(5) },
    { weight: 3, arbitrary: fc.array(raw, { minLength: 1, maxLength: 1 }) },
    { weight: 1, arbitrary: fc.uniqueArray(raw, { minLength: 2, maxLength: 3, selector: ({ key }) => key }) },
  );
  return fc.array(group, { minLength: length.min, maxLength: length.max, size: 'max' });
}

/** Makes the operations of a member out of what was drawn. `prefix` keeps the keys of a run apart from other runs. */
export function operationsOf(steps: Step[], member: string, prefix: string): Operation[][] {
  const wallet = { member, kind: 'WALLET' as const };
  const deposit = { key: `${prefix}:deposit`, kind: 'deposit', memberId: member, reference: 'D', actor: 'callback' };
  const amount = minor(BigInt(3 * AMOUNT_MAX));
  const groups: Operation[][] = [[{ ...deposit, type: 'transfer', debit: { house: 'bank' }, credit: wallet, amount }]];
  const holds: number[] = [];
  for (const step of steps) {
    if (typeof step === 'number') {
      groups.push(groups.at(-1 - step) ?? (groups[0] as Operation[]));
      continue;
    }
    const group = step.map((one) => {
      // Most resolutions mean a hold that was tried; the others any key at all.
      const pending = one.pending % 4 === 0 ? one.pending : (holds.at(-1 - (one.pending % 3)) ?? one.pending);
      if (one.type === 'hold') holds.push(one.key);
      return operationOf({ ...one, pending }, member, prefix);
    });
    groups.push(group);
  }
  return groups;
}

function operationOf({ type, key, pending, pair, amount, named }: Raw, member: string, prefix: string): Operation {
  const [from, to] = PAIRS[pair] as (typeof PAIRS)[number];
  const known = accounts(member);
  const base = { kind: 'transfer', memberId: member, actor: 'member', reference: `R${key}`, key: `${prefix}:${key}` };
  const [debit, credit] = [known[from] as AccountRef, known[to] as AccountRef];
  const wallet = known[0] as AccountRef;
  if (type === 'adjust') {
    return {
      ...base,
      type,
      debit: { house: 'provider:pg' },
      credit: known[1] as AccountRef,
      target: minor(BigInt(amount)),
    };
  }
  if (type === 'transfer') return { ...base, type, debit, credit, amount: minor(BigInt(amount)) };
  if (type === 'mark') return { ...base, type, debit: wallet, credit: { house: 'bank' } };
  // Holds lie on the wallet, towards one of two accounts: posts and voids then often name the right ones.
  const towards = (pair === 0 ? { house: 'bank' } : known[1]) as AccountRef;
  if (type === 'hold') return { ...base, type, debit: wallet, credit: towards, amount: minor(BigInt(amount)) };
  const rest = named ? { amount: minor(BigInt(amount)) } : {};
  return { ...base, type, debit: wallet, credit: towards, pendingKey: `${prefix}:${pending}`, ...rest };
}
