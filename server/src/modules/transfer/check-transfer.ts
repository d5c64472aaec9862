import { type Minor, ZERO } from '@krapao/contract/money';
import type { Credits, Direction } from '../../counterparties/game/port.ts';
import type { Member } from '../../platform/http/caller/member.ts';
import { Refusal } from '../../platform/refusal.ts';
import { type End, toAmount, toCredits, WALLET } from '../game/module.ts';
import { isEnough, legsOf, notReadable, readTransferAmount, type Witness, witnessOf } from './transfer.ts';
import type { TransferWork } from './transfer-work.ts';

/** Instead of an amount: everything that is free where the money comes from, at the moment the transfer begins. */
export const FULL_BALANCE = Symbol('everything that is free there');

/** Instead of an amount: the free balance of the source, at most this many minor units. */
export class AtMost {
  readonly amount: Minor;

  constructor(amount: Minor) {
    this.amount = amount;
  }
}

/** Whether the amount is the free balance when the transfer begins. */
export const isOpenAmount = (amount: unknown): amount is typeof FULL_BALANCE | AtMost =>
  amount === FULL_BALANCE || amount instanceof AtMost;

export type TransferRequest = {
  member: Pick<Member, 'id' | 'currency'>;
  from: string;
  to: string;
  /** Unvalidated input, {@link FULL_BALANCE} or {@link AtMost}. */
  amount: unknown;
  idempotencyKey: string | undefined;
};

/** A game that money goes to or comes from, and what lay there before, where the provider had to be asked. */
export type CheckedEnd = {
  game: End;
  account: NonNullable<End['account']>;
  direction: Direction;
  before?: { cash: Credits; witness: Witness };
};

/** Largest amount that a leg can carry: more than any balance. */
const CREDITS_MAX = 2n ** 63n - 1n;

/** Another transfer of the game account is under way. */
export const underWay = (): Refusal =>
  new Refusal('REQUEST_LIMIT', { detail: 'TRANSFER_IN_PROGRESS', retryAfterSeconds: 5 });

type Checking = Pick<TransferWork, 'game' | 'account' | 'ledger' | 'providers'>;

/**
 * The checks of a transfer, in the order of its refusals, and what has to be read before it begins. That the wallet is open is
 * checked when it opens: here only where another refusal would come first.
 */
export async function checkTransfer(
  work: Checking,
  request: TransferRequest,
): Promise<{ amount: Minor; ends: CheckedEnd[] }> {
  const { member, from, to } = request;
  const games = await work.game.ends(member.id, [from, to]);
  const gameOf = (code: string): End | undefined => games.find((game) => game.code === code);
  assertGames(request, gameOf);
  const { amount: wanted } = request;
  const isOpen = isOpenAmount(wanted);
  const asked = isOpen ? ZERO : readTransferAmount(wanted);
  if (asked === undefined) throw new Refusal('TRANSFER_MINIMUM');
  try {
    const ends = legsOf(from, to).map(({ gameCode, direction }) => openEnd(gameOf(gameCode), direction));
    assertFree(ends);
    if (!isOpen) assertCountable(asked, ends);
    const [first, ...second] = ends;
    if (!first) throw new Error('a transfer without legs');
    // The second game is asked when its own leg begins.
    const read = [await readBefore(work, first), ...second];
    const amount = isOpen ? limitAmount(wanted, await fullBalance(work, member, read[0] ?? first)) : asked;
    assertCountable(amount, read);
    return { amount, ends: read };
  } catch (error) {
    if (error instanceof Refusal) await work.account.assertWalletOpen(member.id);
    throw error;
  }
}

function assertGames({ from, to }: TransferRequest, gameOf: (code: string) => End | undefined): void {
  for (const code of [from, to]) {
    const game = gameOf(code);
    if (code !== WALLET && (!game || (game.isHidden && code === to))) throw new Refusal('NO_GAME');
  }
  if (from === to) throw new Refusal('NO_GAME', { detail: 'SAME_ACCOUNT' });
}

function assertFree(ends: readonly CheckedEnd[]): void {
  for (const { game } of ends) {
    if (game.inMaintenance) throw new Refusal('GAME_ACTIVATION_FAIL', { detail: 'MAINTENANCE' });
  }
  // The reservation refuses it anyway: its provider need not be asked before.
  if (ends.some(({ account }) => account.busyWith !== null)) throw underWay();
}

function openEnd(game: End | undefined, direction: Direction): CheckedEnd {
  if (game?.account) return { game, account: game.account, direction };
  throw new Refusal(game?.isHidden ? 'NO_GAME' : 'SLOT_NO_ACCOUNT');
}

/**
 * Asks what lies at the provider, where it counts: before money leaves a game, because winnings can leave too, and where
 * only the balance can prove later what a call without an answer has done.
 * @throws TRANSFER_FAIL it can't be known
 */
async function readBefore(work: Pick<Checking, 'providers'>, end: CheckedEnd): Promise<CheckedEnd> {
  const provider = work.providers.get(end.account.provider);
  if (!provider) throw new Refusal('TRANSFER_FAIL', { detail: 'PROVIDER_NOT_CONFIGURED' });
  if (end.direction === 'in' && provider.check) return end;
  const balance = await provider.balance(end.account.username);
  if (balance.outcome !== 'done') throw new Refusal('TRANSFER_FAIL', { detail: notReadable(balance) });
  return { ...end, before: { cash: balance.value.cash, witness: witnessOf(balance.value) } };
}

/**
 * How much that is: of the wallet by the ledger, of a game by its provider, because winnings count. The hold stays the
 * judge: whatever else takes from there meanwhile makes this amount too much, and then nothing moves.
 * @throws TRANSFER_MINIMUM nothing is there, or too little for a transfer into a game
 */
async function fullBalance(
  work: Pick<Checking, 'ledger'>,
  member: Pick<Member, 'id' | 'currency'>,
  { game, direction, before }: CheckedEnd,
): Promise<Minor> {
  if (direction === 'out') {
    const amount = toAmount(before?.cash ?? (0n as Credits), game.ftWalletSlot);
    // No minimum on the way home: the last satang are the member's too.
    if (amount <= 0n) throw new Refusal('TRANSFER_MINIMUM', { detail: 'EMPTY' });
    return amount;
  }
  const accounts = await work.ledger.balances(member.id);
  const wallet = accounts.find(({ kind, currency }) => kind === WALLET && currency === member.currency);
  const free = wallet?.free ?? ZERO;
  if (!isEnough(free)) throw new Refusal('TRANSFER_MINIMUM');
  return free;
}

const limitAmount = (wanted: typeof FULL_BALANCE | AtMost, free: Minor): Minor =>
  wanted instanceof AtMost && wanted.amount < free ? wanted.amount : free;

function assertCountable(amount: Minor, ends: readonly CheckedEnd[]): void {
  for (const { game } of ends) {
    if (toCredits(amount, game.ftWalletSlot) > CREDITS_MAX) throw new Refusal('MONEY_NOT_ENOUGH');
  }
}
