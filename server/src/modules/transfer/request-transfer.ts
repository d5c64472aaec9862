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
  /** Deadline of the first leg's call, in monotonic time; null for all but the request that opened it. */
  sendUntilMs: number | null;
};

const REFERENCE_CHARACTERS = 13;
/** Attempts to open a transfer: each checks that the game accounts have not changed since they were read. */
const READS_MAX = 3;
const REREAD_DELAY_MS = 20;

/**
 * Moves money between the wallet and a game, or from game to game through the wallet. The same idempotency key with the
 * same input replays the transfer's outcome. A refusal before its row stores nothing.
 * @throws {Refusal} NO_GAME, TRANSFER_MINIMUM, NO_WALLET, SLOT_NO_ACCOUNT, GAME_ACTIVATION_FAIL, MONEY_NOT_ENOUGH,
 *   TRANSFER_FAIL, KEY_INVALID (key used with another input), REQUEST_LIMIT (a transfer of that game account is
 *   pending)
 */
export function requestTransfer(deps: TransferDeps, request: TransferRequest): Promise<TransferReply> {
  const { member, idempotencyKey: key } = request;
  const requestHash = hashOf(request);
  const reload = async (transfer: Transfer): Promise<Row> => ({
    transfer,
    legs: await selectLegs(deps.database, transfer.id),
    sendUntilMs: null,
  });
  return runIdempotent<Row, TransferReply>({
    key,
    requestHash,
    findsWhileOpening: true,
    find: async (used) => {
      const known = await findByKey(deps.database, member.id, used);
      return known && { row: await reload(known), requestHash: known.inputHash };
    },
    open: async () => {
      const row = await open(deps, request, requestHash);
      return row && { row, isNew: true };
    },
    execute: async (row) => {
      if (row.sendUntilMs === null) return row;
      const ended = await executeTransfer(deps, row.transfer, row.legs, row.sendUntilMs);
      return ended ? { ...row, legs: ended } : reload(row.transfer);
    },
    // Without a reply from the provider there is nothing to wait for.
    isReplyReady: ({ legs }) =>
      legs.every(({ state }) => isFinal(state)) || legs.some(({ state }) => isOpenEnded(state)),
    reload: ({ transfer }) => reload(transfer),
    toReply,
    busyError: transferInProgress,
  });
}

/**
 * Validates the request, then commits the transfer with its legs, the reservation of their game accounts and the hold.
 * @returns undefined when the key was used concurrently
 */
async function open(deps: TransferDeps, request: TransferRequest, inputHash: Buffer): Promise<Row | undefined> {
  const { member, idempotencyKey } = request;
  for (let read = 0; read < READS_MAX; read += 1) {
    if (read > 0) await sleep(REREAD_DELAY_MS);
    const { amount, ends } = await validateTransfer(deps, request);
    const id = uuidV7(deps.clock.now());
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
    const opened = ends.map((end, index) => newLeg(deps, transfer, end, (index + 1) as 1 | 2));
    const command = openTransferCommand(transfer, idempotencyKey ?? id, opened);
    const { outcome, startedMs } = await retryOnRowLock(() => deps.ledger.postCommand(command));
    const legs = opened.map(({ leg }) => leg);
    switch (outcome) {
      case 'applied':
      case 'replayed':
        return { transfer, legs, sendUntilMs: sendUntilMs(startedMs) };
      case 'insufficient_funds':
        return { transfer, legs: legs.map(withoutMoney), sendUntilMs: null };
      case 'replayed_refused':
        // Reversed by an earlier call, or by the resolver while its reply was lost: the row has the reason.
        return { transfer, legs: await selectLegs(deps.database, id), sendUntilMs: null };
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

function newLeg(deps: TransferDeps, transfer: Transfer, end: TransferEnd, leg: 1 | 2): NewLeg {
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
      // The account's provider, not the game's current one.
      provider: account.provider,
      username: account.username,
      providerReference: `${reference}-${leg}`,
      nextGame: leg === 1 && isOneOfTwo ? transfer.target : null,
      state: leg === 1 ? 'SENT' : 'QUEUED',
      balanceBefore: before?.reading.whole ?? null,
      turnoverBefore: before?.reading.turnover ?? null,
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
    // The next game's balance may be read before this leg is closed.
    leaseMs: legLeaseMs(longestTimeoutMs(deps)),
    version: before ? account.version : null,
    cash: direction === 'out' ? (before?.cash ?? null) : null,
  };
}

const withoutMoney = (leg: Leg): Leg => ({ ...leg, state: 'REVERSED', code: 'MONEY_NOT_ENOUGH' });

const isOpenEnded = (state: string): boolean => state === 'UNKNOWN' || state === 'MANUAL';

function toReply({ transfer: { reference, amount }, legs }: Row): TransferReply {
  const result = resultOf(legs);
  switch (result.kind) {
    case 'done':
      return { reference, status: 'DONE', amount };
    case 'processing':
      return { reference, status: 'PROCESSING', amount };
    case 'refused':
      throw new Refusal(result.code, result.detail === undefined ? {} : { detail: result.detail });
  }
}

// Only numbers are hashed: other values are refused before anything is stored, and may be deeply nested.
function hashOf({ from, to, amount }: TransferRequest): Buffer {
  return hashRequest([from, to, isOpenAmount(amount) ? 'EVERYTHING' : typeof amount === 'number' ? amount : null]);
}

/** Instead of an amount: the free balance of the source when the transfer starts. */
export const FULL_BALANCE = Symbol('everything that is free there');

/** Instead of an amount: the free balance of the source, at most this many minor units. */
export class AtMost {
  readonly amount: Minor;

  constructor(amount: Minor) {
    this.amount = amount;
  }
}

/** Whether the amount depends on the free balance when the transfer starts. */
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

/** The game of one leg, and its balance before the leg where the provider had to report it. */
export type TransferEnd = {
  game: TransferEndRow;
  account: NonNullable<TransferEndRow['account']>;
  direction: Direction;
  before?: { cash: Credits; reading: BalanceReading };
};

/** Largest amount of a leg; more than any balance. */
const CREDITS_MAX = 2n ** 63n - 1n;

/** REQUEST_LIMIT: another transfer of the game account is pending. */
export const transferInProgress = (): Refusal =>
  new Refusal('REQUEST_LIMIT', { detail: 'TRANSFER_IN_PROGRESS', retryAfterSeconds: 5 });

type ValidationDeps = Pick<TransferDeps, 'game' | 'account' | 'ledger' | 'providers'>;

/**
 * Validates a transfer, in the order of its refusals, and reads the balances that it needs. Opening the transfer checks
 * that the wallet is open; here it is checked only to take precedence over another refusal.
 */
export async function validateTransfer(
  deps: ValidationDeps,
  request: TransferRequest,
): Promise<{ amount: Minor; ends: TransferEnd[] }> {
  const { member, from, to } = request;
  const games = await deps.game.ends(member.id, [from, to]);
  const gameOf = (code: string): TransferEndRow | undefined => games.find((game) => game.code === code);
  assertGames(request, gameOf);
  const { amount: requested } = request;
  const isOpen = isOpenAmount(requested);
  const fixed = isOpen ? ZERO : readTransferAmount(requested);
  if (fixed === undefined) throw new Refusal('TRANSFER_MINIMUM');
  try {
    const ends = legsBetween(from, to).map(({ gameCode, direction }) => openEnd(gameOf(gameCode), direction));
    assertFree(ends);
    if (!isOpen) assertCountable(fixed, ends);
    const [first, ...second] = ends;
    if (!first) throw new Error('a transfer without legs');
    // The second game's balance is read when its own leg starts.
    const read = [await readBefore(deps, first), ...second];
    const amount = isOpen ? limitAmount(requested, await fullBalance(deps, member, read[0] ?? first)) : fixed;
    assertCountable(amount, read);
    return { amount, ends: read };
  } catch (error) {
    if (error instanceof Refusal) await deps.account.assertWalletOpen(member.id);
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
  // The reservation would refuse it too, after a needless inquiry.
  if (ends.some(({ account }) => account.busyWith !== null)) throw transferInProgress();
}

function openEnd(game: TransferEndRow | undefined, direction: Direction): TransferEnd {
  if (game?.account) return { game, account: game.account, direction };
  throw new Refusal(game?.isHidden ? 'NO_GAME' : 'SLOT_NO_ACCOUNT');
}

/**
 * Reads the balance at the provider where it is needed: to move winnings out of a game, and where only the balance can
 * later prove the outcome of a call without a reply.
 * @throws {Refusal} TRANSFER_FAIL when the provider does not report it
 */
async function readBefore(deps: Pick<ValidationDeps, 'providers'>, end: TransferEnd): Promise<TransferEnd> {
  const provider = deps.providers.get(end.account.provider);
  if (!provider) throw new Refusal('TRANSFER_FAIL', { detail: 'PROVIDER_NOT_CONFIGURED' });
  if (end.direction === 'in' && provider.check) return end;
  const balance = await provider.balance(end.account.username);
  if (balance.outcome !== 'done') throw new Refusal('TRANSFER_FAIL', { detail: unreadableDetail(balance) });
  return { ...end, before: { cash: balance.value.cash, reading: balanceReading(balance.value) } };
}

/**
 * Free balance of the source: the wallet's by the ledger, a game's by its provider, because winnings count.
 * The hold decides: if the balance shrinks concurrently, the hold is refused and nothing moves.
 * @throws {Refusal} TRANSFER_MINIMUM when it is empty, or too little for a transfer into a game
 */
async function fullBalance(
  deps: Pick<ValidationDeps, 'ledger'>,
  member: Pick<Member, 'id' | 'currency'>,
  { game, direction, before }: TransferEnd,
): Promise<Minor> {
  if (direction === 'out') {
    const amount = toAmount(before?.cash ?? (0n as Credits), game.ftWalletSlot);
    // No minimum towards the wallet: the member can always move out the full balance.
    if (amount <= 0n) throw new Refusal('TRANSFER_MINIMUM', { detail: 'EMPTY' });
    return amount;
  }
  const accounts = await deps.ledger.balances(member.id);
  const wallet = accounts.find(({ kind, currency }) => kind === WALLET && currency === member.currency);
  const free = wallet?.free ?? ZERO;
  if (!isAboveMinimum(free)) throw new Refusal('TRANSFER_MINIMUM');
  return free;
}

const limitAmount = (requested: typeof FULL_BALANCE | AtMost, free: Minor): Minor =>
  requested instanceof AtMost && requested.amount < free ? requested.amount : free;

function assertCountable(amount: Minor, ends: readonly TransferEnd[]): void {
  for (const { game } of ends) {
    if (toCredits(amount, game.ftWalletSlot) > CREDITS_MAX) throw new Refusal('MONEY_NOT_ENOUGH');
  }
}
