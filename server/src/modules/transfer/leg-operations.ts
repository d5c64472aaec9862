import type { Minor } from '@krapao/contract/money';
import type { AccountRef, Ledger, Operation } from '../../ledger/module.ts';
import { gameLedgerKind, toAmount } from '../game/module.ts';
import type { Credits } from '../../counterparties/game/port.ts';
import type { Leg } from './transfer.ts';

/**
 * The ledger operations of a leg. Their keys are made of the leg's, so that whoever repeats a step after a crash gets the
 * first answer instead of a second movement. The money is held where it comes from, until the provider's word is known.
 * @param cash what the provider reports right before money leaves the game: its ledger account follows, because winnings
 *   can leave too. Linked, so that whoever read it too long ago changes nothing: the leg was undone, the hold's key is used.
 */
export async function holdMoney(
  ledger: Ledger,
  leg: Leg,
  actor: string,
  cash: Credits | null = null,
): Promise<'held' | 'insufficient' | 'resolved'> {
  const follow = cash === null ? [] : [adjustment(leg, 'before', cash, actor)];
  const hold: Operation = { ...common(leg, 'hold', actor), type: 'hold', amount: leg.amount };
  const verdict = (await ledger.post([...follow, hold])).at(-1);
  if (verdict?.outcome === 'applied') return verdict.state === 'pending' ? 'held' : 'resolved';
  if (verdict?.outcome === 'rejected') return 'insufficient';
  if (verdict?.outcome === 'conflict' && cash !== null) return 'resolved';
  throw new Error(`the ledger refused a hold: ${verdict?.reason ?? 'no verdict'}`);
}

/** The provider did it: the money arrives, and the game's ledger account follows what the provider reports. */
export async function postMoney(ledger: Ledger, leg: Leg, actor: string): Promise<void> {
  const post: Operation = {
    ...common(leg, 'post', actor),
    type: 'post',
    pendingKey: keyOf(leg, 'hold'),
    amount: leg.amount,
  };
  const follow = leg.proofBalance === null ? [] : [adjustment(leg, 'after', leg.proofBalance, actor)];
  await mustApply(ledger, [post, ...follow]);
}

/** The provider did not do it: the money is free again. */
export async function voidMoney(ledger: Ledger, leg: Leg, actor: string): Promise<void> {
  await mustApply(ledger, [
    { ...common(leg, 'void', actor), type: 'void', pendingKey: keyOf(leg, 'hold'), amount: leg.amount },
  ]);
}

/**
 * Undoes a leg whose call never went out, whether its money was held or not. The hold is made first when there is none:
 * one that is still on its way then finds its key used, and holds nothing.
 */
export async function undoHold(ledger: Ledger, leg: Leg, actor: string): Promise<void> {
  if ((await holdMoney(ledger, leg, actor)) !== 'insufficient') await voidMoney(ledger, leg, actor);
}

async function mustApply(ledger: Ledger, operations: Operation[]): Promise<void> {
  const verdicts = await ledger.post(operations);
  const refused = verdicts.find(({ outcome }) => outcome !== 'applied');
  if (refused)
    throw new Error(`the ledger refused ${operations[0]?.key ?? 'nothing'}: ${refused.reason ?? 'no reason'}`);
}

type Word = 'hold' | 'post' | 'void' | 'before' | 'after';

const keyOf = (leg: Leg, word: Word): string => `transfer:${leg.transferId}:${leg.leg}:${word}`;

function common(leg: Leg, word: Word, actor: string) {
  const { memberId, currency, reference } = leg;
  const wallet: AccountRef = { member: memberId, kind: 'WALLET' };
  const game: AccountRef = { member: memberId, kind: gameLedgerKind(leg.gameCode) };
  const [debit, credit] = leg.direction === 'in' ? [wallet, game] : [game, wallet];
  return { key: keyOf(leg, word), kind: 'transfer', memberId, currency, debit, credit, reference, actor };
}

function adjustment(leg: Leg, word: 'before' | 'after', cash: Credits, actor: string): Operation {
  const target: Minor = toAmount(cash, leg.ftWalletSlot);
  const { memberId, currency, reference } = leg;
  return {
    key: keyOf(leg, word),
    // What is asked is to follow the provider at this point of this leg, whatever that was.
    request: keyOf(leg, word),
    type: 'adjust',
    kind: 'play',
    memberId,
    currency,
    debit: { house: `provider:${leg.provider}` },
    credit: { member: memberId, kind: gameLedgerKind(leg.gameCode) },
    target,
    reference,
    actor,
  };
}
