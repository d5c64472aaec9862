import { sleep } from '../../platform/time.ts';
import { newReference, uuidV7 } from '../../platform/ids.ts';
import { assertNever, Refusal } from '../../platform/errors.ts';
import { hashRequest, runIdempotent } from '../../platform/idempotency.ts';
import { retryOnRowLock } from '../../ledger/index.ts';
import { type Minor, ZERO } from '@krapao/contract/money';
import { noWallet } from '../account/index.ts';
import { toCredits, type TransferEndRow, toAmount, WALLET } from '../game/index.ts';
import { executeTransfer, sendUntilMs } from './execute-leg.ts';
import { findByKey, selectLegs } from './queries.ts';
import { type NewLeg, openTransferCommand } from './commands.ts';
import {
  resultOf,
  isFinal,
  type Leg,
  type Transfer,
  legLeaseMs,
  longestTimeoutMs,
  type TransferDeps,
  isAboveMinimum,
  legsBetween,
  unreadableDetail,
  readTransferAmount,
  type BalanceReading,
  balanceReading,
} from './transfer.ts';
import type { Credits, Direction } from '../../adapters/game/port.ts';
import type { Member } from '../../platform/http/caller.ts';

export type TransferReply = { reference: string; status: 'DONE' | 'PROCESSING'; amount: Minor };

type Row = {
  transfer: Transfer;
  legs: readonly Leg[];
  /** Until when, in monotonic time, the call of the first leg may go out; null for all but the caller that opened it. */
  sendUntilMs: number | null;
};

const REFERENCE_CHARACTERS = 13;
/** What was read of a game account is checked when the transfer opens. That is how often it may have changed meanwhile. */
const READS_MAX = 3;
const READ_AGAIN_MS = 20;

/**
 * Moves money between the wallet and a game, or from game to game through the wallet. The same idempotency key with the
 * same input gets the same transfer's answer; a refusal before its row keeps nothing.
 * @throws NO_GAME, TRANSFER_MINIMUM, NO_WALLET, SLOT_NO_ACCOUNT, GAME_ACTIVATION_FAIL, MONEY_NOT_ENOUGH, TRANSFER_FAIL,
 *   KEY_INVALID (the key stands for another input), REQUEST_LIMIT (another transfer of that game account is under way)
 */
export function requestTransfer(work: TransferDeps, request: TransferRequest): Promise<TransferReply> {
  const { member, idempotencyKey: key } = request;
  const requestHash = hashOf(request);
  const reread = async (transfer: Transfer): Promise<Row> => ({
    transfer,
    legs: await selectLegs(work.database, transfer.id),
    sendUntilMs: null,
  });
  return runIdempotent<Row, TransferReply>({
    key,
    requestHash,
    findsOnOpening: true,
    find: async (used) => {
      const known = await findByKey(work.database, member.id, used);
      return known && { row: await reread(known), requestHash: known.inputHash };
    },
    open: async () => {
      const row = await open(work, request, requestHash);
      return row && { row, isNew: true };
    },
    carryOut: async (row) => {
      if (row.sendUntilMs === null) return row;
      const ended = await executeTransfer(work, row.transfer, row.legs, row.sendUntilMs);
      return ended ? { ...row, legs: ended } : reread(row.transfer);
    },
    // Once the provider has left us without an answer there is nothing to wait for.
    isAnswerable: ({ legs }) =>
      legs.every(({ state }) => isFinal(state)) || legs.some(({ state }) => isOpenEnded(state)),
    reread: ({ transfer }) => reread(transfer),
    answer,
    busy: transferInProgress,
  });
}

/**
 * Checks the request, then commits the transfer with its legs, the reservation of their game accounts and the hold.
 * Undefined: the key is used by now.
 */
async function open(work: TransferDeps, request: TransferRequest, inputHash: Buffer): Promise<Row | undefined> {
  const { member, idempotencyKey } = request;
  for (let read = 0; read < READS_MAX; read += 1) {
    if (read > 0) await sleep(READ_AGAIN_MS);
    const { amount, ends } = await validateTransfer(work, request);
    const id = uuidV7(work.clock.now());
    const transfer: Transfer = {
      id,
      memberId: member.id,
      currency: member.currency,
      source: request.from,
      target: request.to,
      amount,
      reference: `T${newReference(REFERENCE_CHARACTERS)}`,
      inputHash,
    };
    const opened = ends.map((end, index) => newLeg(work, transfer, end, (index + 1) as 1 | 2));
    const command = openTransferCommand(transfer, idempotencyKey ?? id, opened);
    const { outcome, startedMs } = await retryOnRowLock(() => work.ledger.postCommand(command));
    const legs = opened.map(({ leg }) => leg);
    switch (outcome) {
      case 'applied':
      case 'replayed':
        return { transfer, legs, sendUntilMs: sendUntilMs(startedMs) };
      case 'insufficient_funds':
        return { transfer, legs: legs.map(withoutMoney), sendUntilMs: null };
      case 'replayed_refused':
        // Reversed by an earlier call, or by the resolver while its reply was lost: the row has the reason.
        return { transfer, legs: await selectLegs(work.database, id), sendUntilMs: null };
      case 'key_taken':
        return undefined;
      case 'wallet_suspended':
        throw noWallet();
      case 'account_busy':
        throw transferInProgress();
      case 'stale_read':
      case 'row_locked':
        // Reads the game accounts again.
        break;
      default:
        return assertNever(outcome);
    }
  }
  throw transferInProgress();
}

function newLeg(work: TransferDeps, transfer: Transfer, end: TransferEnd, leg: 1 | 2): NewLeg {
  const { game, account, direction, before } = end;
  const { id, memberId, currency, reference, amount } = transfer;
  const isOneOfTwo = transfer.source !== 'WALLET' && transfer.target !== 'WALLET';
  return {
    leg: {
      transferId: id,
      leg,
      memberId,
      currency,
      reference,
      gameCode: game.code,
      ftWalletSlot: game.ftWalletSlot,
      direction,
      amount,
      credits: toCredits(amount, game.ftWalletSlot),
      // Where the account is, whatever the game's row says by now.
      provider: account.provider,
      username: account.username,
      providerReference: `${reference}-${leg}`,
      nextGame: leg === 1 && isOneOfTwo ? transfer.target : null,
      state: leg === 1 ? 'SENT' : 'QUEUED',
      balanceBefore: before?.witness.whole ?? null,
      turnoverBefore: before?.witness.turnover ?? null,
      proof: null,
      proofBy: null,
      proofBalance: null,
      balanceSeen: null,
      turnoverSeen: null,
      code: null,
      detail: null,
      absences: 0,
      asks: 0,
      isSilent: false,
      fence: 1,
      sentAgoMs: null,
    },
    // The next game may have to be asked before this leg is closed.
    leaseMs: legLeaseMs(longestTimeoutMs(work)),
    version: before ? account.version : null,
    cash: direction === 'out' ? (before?.cash ?? null) : null,
  };
}

const withoutMoney = (leg: Leg): Leg => ({ ...leg, state: 'REVERSED', code: 'MONEY_NOT_ENOUGH' });

const isOpenEnded = (state: string): boolean => state === 'UNKNOWN' || state === 'MANUAL';

function answer({ transfer: { reference, amount }, legs }: Row): TransferReply {
  const told = resultOf(legs);
  switch (told.kind) {
    case 'done':
      return { reference, status: 'DONE', amount };
    case 'processing':
      return { reference, status: 'PROCESSING', amount };
    case 'refused':
      throw new Refusal(told.code, told.detail === undefined ? {} : { detail: told.detail });
  }
}

// An amount that is not a number is refused before anything is kept, and may be nested without end.
function hashOf({ from, to, amount }: TransferRequest): Buffer {
  return hashRequest([from, to, isOpenAmount(amount) ? 'EVERYTHING' : typeof amount === 'number' ? amount : null]);
}

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
export type TransferEnd = {
  game: TransferEndRow;
  account: NonNullable<TransferEndRow['account']>;
  direction: Direction;
  before?: { cash: Credits; witness: BalanceReading };
};

/** Largest amount that a leg can carry: more than any balance. */
const CREDITS_MAX = 2n ** 63n - 1n;

/** Another transfer of the game account is under way. */
export const transferInProgress = (): Refusal =>
  new Refusal('REQUEST_LIMIT', { detail: 'TRANSFER_IN_PROGRESS', retryAfterSeconds: 5 });

type Checking = Pick<TransferDeps, 'game' | 'account' | 'ledger' | 'providers'>;

/**
 * The checks of a transfer, in the order of its refusals, and what has to be read before it begins. That the wallet is open is
 * checked when it opens: here only where another refusal would come first.
 */
export async function validateTransfer(
  work: Checking,
  request: TransferRequest,
): Promise<{ amount: Minor; ends: TransferEnd[] }> {
  const { member, from, to } = request;
  const games = await work.game.ends(member.id, [from, to]);
  const gameOf = (code: string): TransferEndRow | undefined => games.find((game) => game.code === code);
  assertGames(request, gameOf);
  const { amount: wanted } = request;
  const isOpen = isOpenAmount(wanted);
  const asked = isOpen ? ZERO : readTransferAmount(wanted);
  if (asked === undefined) throw new Refusal('TRANSFER_MINIMUM');
  try {
    const ends = legsBetween(from, to).map(({ gameCode, direction }) => openEnd(gameOf(gameCode), direction));
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

function assertGames({ from, to }: TransferRequest, gameOf: (code: string) => TransferEndRow | undefined): void {
  for (const code of [from, to]) {
    const game = gameOf(code);
    if (code !== WALLET && (!game || (game.isHidden && code === to))) throw new Refusal('NO_GAME');
  }
  if (from === to) throw new Refusal('NO_GAME', { detail: 'SAME_ACCOUNT' });
}

function assertFree(ends: readonly TransferEnd[]): void {
  for (const { game } of ends) {
    if (game.inMaintenance) throw new Refusal('GAME_ACTIVATION_FAIL', { detail: 'MAINTENANCE' });
  }
  // The reservation refuses it anyway: its provider need not be asked before.
  if (ends.some(({ account }) => account.busyWith !== null)) throw transferInProgress();
}

function openEnd(game: TransferEndRow | undefined, direction: Direction): TransferEnd {
  if (game?.account) return { game, account: game.account, direction };
  throw new Refusal(game?.isHidden ? 'NO_GAME' : 'SLOT_NO_ACCOUNT');
}

/**
 * Asks what lies at the provider, where it counts: before money leaves a game, because winnings can leave too, and where
 * only the balance can prove later what a call without an answer has done.
 * @throws TRANSFER_FAIL it can't be known
 */
async function readBefore(work: Pick<Checking, 'providers'>, end: TransferEnd): Promise<TransferEnd> {
  const provider = work.providers.get(end.account.provider);
  if (!provider) throw new Refusal('TRANSFER_FAIL', { detail: 'PROVIDER_NOT_CONFIGURED' });
  if (end.direction === 'in' && provider.check) return end;
  const balance = await provider.balance(end.account.username);
  if (balance.outcome !== 'done') throw new Refusal('TRANSFER_FAIL', { detail: unreadableDetail(balance) });
  return { ...end, before: { cash: balance.value.cash, witness: balanceReading(balance.value) } };
}

/**
 * How much that is: of the wallet by the ledger, of a game by its provider, because winnings count. The hold stays the
 * judge: whatever else takes from there meanwhile makes this amount too much, and then nothing moves.
 * @throws TRANSFER_MINIMUM nothing is there, or too little for a transfer into a game
 */
async function fullBalance(
  work: Pick<Checking, 'ledger'>,
  member: Pick<Member, 'id' | 'currency'>,
  { game, direction, before }: TransferEnd,
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
  if (!isAboveMinimum(free)) throw new Refusal('TRANSFER_MINIMUM');
  return free;
}

const limitAmount = (wanted: typeof FULL_BALANCE | AtMost, free: Minor): Minor =>
  wanted instanceof AtMost && wanted.amount < free ? wanted.amount : free;

function assertCountable(amount: Minor, ends: readonly TransferEnd[]): void {
  for (const { game } of ends) {
    if (toCredits(amount, game.ftWalletSlot) > CREDITS_MAX) throw new Refusal('MONEY_NOT_ENOUGH');
  }
}
