import { type Minor, ZERO } from '@krapao/contract/money';
import type { Credits, Direction } from '../../adapters/game/port.ts';
import { retryOnRowLock } from '../../ledger/index.ts';
import { assertNever, Refusal } from '../../platform/errors.ts';
import type { Member } from '../../platform/http/caller.ts';
import { hashRequest, runIdempotent } from '../../platform/idempotency.ts';
import { newReference, uuidV7 } from '../../platform/ids.ts';
import { sleep } from '../../platform/time.ts';
import { noWalletRefusal } from '../account/index.ts';
import { toCredits, type LegAccountRow, toAmount, WALLET } from '../game/index.ts';
import { type NewLeg, openTransferCommand } from './commands.ts';
import { executeTransfer, sendUntilMs } from './execute-leg.ts';
import { findByKey, selectLegs } from './queries.ts';
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

export type TransferReply = { reference: string; status: 'DONE' | 'PROCESSING'; amount: Minor };

type OpenedTransfer = {
  transfer: Transfer;
  legs: readonly Leg[];
  /**
   * Deadline for sending the first leg's call, in monotonic time; null except in the request that opened the transfer.
   */
  sendUntilMs: number | null;
};

const REFERENCE_CHARACTERS = 13;
/** Attempts to open a transfer. Each fails if the game accounts have changed since they were read. */
const OPEN_ATTEMPTS_MAX = 3;
const REREAD_DELAY_MS = 20;

/**
 * Moves money between the wallet and a game, or from game to game through the wallet. The same idempotency key with the
 * same input replays the transfer's outcome. A refusal before the row is inserted stores nothing.
 * @throws {Refusal} NO_GAME, TRANSFER_MINIMUM, NO_WALLET, SLOT_NO_ACCOUNT, GAME_ACTIVATION_FAIL, MONEY_NOT_ENOUGH,
 *   TRANSFER_FAIL, KEY_INVALID (key used with another input), REQUEST_LIMIT (a transfer of that game account is
 *   pending)
 */
export function requestTransfer(deps: TransferDeps, request: TransferRequest): Promise<TransferReply> {
  const { member, idempotencyKey: key } = request;
  const requestHash = hashOf(request);
  const reloadTransfer = async (transfer: Transfer): Promise<OpenedTransfer> => ({
    transfer,
    legs: await selectLegs(deps.database, transfer.id),
    sendUntilMs: null,
  });
  return runIdempotent<OpenedTransfer, TransferReply>({
    key,
    requestHash,
    findsWhileOpening: true,
    find: async (usedKey) => {
      const knownTransfer = await findByKey(deps.database, member.id, usedKey);
      return knownTransfer && { row: await reloadTransfer(knownTransfer), requestHash: knownTransfer.inputHash };
    },
    open: async () => {
      const openedTransfer = await openTransfer(deps, request, requestHash);
      return openedTransfer && { row: openedTransfer, isNew: true };
    },
    execute: async (openedTransfer) => {
      if (openedTransfer.sendUntilMs === null) return openedTransfer;
      const closedLegs = await executeTransfer(
        deps,
        openedTransfer.transfer,
        openedTransfer.legs,
        openedTransfer.sendUntilMs,
      );
      return closedLegs ? { ...openedTransfer, legs: closedLegs } : reloadTransfer(openedTransfer.transfer);
    },
    // Without a provider reply the request does not wait.
    isReplyReady: ({ legs }) =>
      legs.every(({ state }) => isFinal(state)) || legs.some(({ state }) => isOpenEnded(state)),
    reload: ({ transfer }) => reloadTransfer(transfer),
    toReply,
    busyError: transferInProgress,
  });
}

/**
 * Validates the request, then commits the transfer with its legs, the reservation of their game accounts and the hold.
 * @returns undefined if the key was used concurrently
 */
async function openTransfer(
  deps: TransferDeps,
  request: TransferRequest,
  inputHash: Buffer,
): Promise<OpenedTransfer | undefined> {
  const { member, idempotencyKey } = request;
  for (let attempt = 0; attempt < OPEN_ATTEMPTS_MAX; attempt += 1) {
    if (attempt > 0) await sleep(REREAD_DELAY_MS);
    const { amount, legAccounts } = await validateTransfer(deps, request);
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
    const newLegs = legAccounts.map((legAccount, index) => newLeg(deps, transfer, legAccount, (index + 1) as 1 | 2));
    const command = openTransferCommand(transfer, idempotencyKey ?? id, newLegs);
    const { outcome, startedMs } = await retryOnRowLock(() => deps.ledger.postCommand(command));
    const legs = newLegs.map(({ leg }) => leg);
    switch (outcome) {
      case 'applied':
      case 'replayed':
        return { transfer, legs, sendUntilMs: sendUntilMs(startedMs) };
      case 'insufficient_funds':
        return { transfer, legs: legs.map(refusedForBalance), sendUntilMs: null };
      case 'replayed_refused':
        // An earlier call, or the resolver, has reversed the transfer. The row has the reason.
        return { transfer, legs: await selectLegs(deps.database, id), sendUntilMs: null };
      case 'key_taken':
        return undefined;
      case 'wallet_suspended':
        throw noWalletRefusal();
      case 'account_busy':
        throw transferInProgress();
      case 'stale_read':
      case 'row_locked':
        // The next attempt reads the game accounts again.
        break;
      default:
        return assertNever(outcome);
    }
  }
  throw transferInProgress();
}

function newLeg(deps: TransferDeps, transfer: Transfer, legAccount: LegAccount, leg: 1 | 2): NewLeg {
  const { game, account, direction, balanceBefore } = legAccount;
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
      creditsPerUnit: game.creditsPerUnit,
      direction,
      amount,
      credits: toCredits(amount, game.creditsPerUnit),
      // The account's provider, which may differ from the game's current provider.
      provider: account.provider,
      username: account.username,
      providerReference: `${reference}-${leg}`,
      nextGame: leg === 1 && isOneOfTwo ? transfer.target : null,
      state: leg === 1 ? 'SENT' : 'QUEUED',
      balanceBefore: balanceBefore?.reading.cashAndStakes ?? null,
      turnoverBefore: balanceBefore?.reading.turnover ?? null,
      proof: null,
      proofBy: null,
      proofBalance: null,
      balanceSeen: null,
      turnoverSeen: null,
      code: null,
      detail: null,
      absences: 0,
      inquiries: 0,
      isSilent: false,
      fence: 1,
      sentAgoMs: null,
    },
    // Allows for reading the second game's balance before this leg is closed.
    leaseMs: legLeaseMs(longestTimeoutMs(deps)),
    version: balanceBefore ? account.version : null,
    cash: direction === 'out' ? (balanceBefore?.cash ?? null) : null,
  };
}

const refusedForBalance = (leg: Leg): Leg => ({ ...leg, state: 'REVERSED', code: 'MONEY_NOT_ENOUGH' });

const isOpenEnded = (state: string): boolean => state === 'UNKNOWN' || state === 'MANUAL';

function toReply({ transfer: { reference, amount }, legs }: OpenedTransfer): TransferReply {
  const transferResult = resultOf(legs);
  switch (transferResult.kind) {
    case 'done':
      return { reference, status: 'DONE', amount };
    case 'processing':
      return { reference, status: 'PROCESSING', amount };
    case 'refused':
      throw new Refusal(transferResult.code, {
        ...(transferResult.detail === undefined ? {} : { detail: transferResult.detail }),
        reference,
      });
  }
}

// Only numbers are hashed: other values are refused before anything is stored, and may be deeply nested.
function hashOf({ from, to, amount }: TransferRequest): Buffer {
  return hashRequest([from, to, isOpenAmount(amount) ? 'EVERYTHING' : typeof amount === 'number' ? amount : null]);
}

/** Requested amount: the free balance of the source when the transfer starts. */
export const FULL_BALANCE = Symbol('everything that is free there');

/** Requested amount: the free balance of the source, at most `amount` minor units. */
export class AmountAtMost {
  readonly amount: Minor;

  constructor(amount: Minor) {
    this.amount = amount;
  }
}

/** Whether the amount depends on the free balance when the transfer starts. */
export const isOpenAmount = (amount: unknown): amount is typeof FULL_BALANCE | AmountAtMost =>
  amount === FULL_BALANCE || amount instanceof AmountAtMost;

export type TransferRequest = {
  member: Pick<Member, 'id' | 'currency'>;
  from: string;
  to: string;
  /** Unvalidated input, {@link FULL_BALANCE} or {@link AmountAtMost}. */
  amount: unknown;
  idempotencyKey: string | undefined;
};

/** The game of one leg. `balanceBefore`: its balance before the leg, if the provider had to report it. */
export type LegAccount = {
  game: LegAccountRow;
  account: NonNullable<LegAccountRow['account']>;
  direction: Direction;
  balanceBefore?: { cash: Credits; reading: BalanceReading };
};

/** Largest credits of a leg; more than any balance. */
const CREDITS_MAX = 2n ** 63n - 1n;

/** REQUEST_LIMIT: another transfer of the game account is pending. */
export const transferInProgress = (): Refusal =>
  new Refusal('REQUEST_LIMIT', { detail: 'TRANSFER_IN_PROGRESS', retryAfterSeconds: 5 });

type ValidationDeps = Pick<TransferDeps, 'game' | 'account' | 'ledger' | 'providers'>;

/**
 * Validates a transfer, in the order of its refusals, and reads the required balances. Opening the transfer checks
 * again that the wallet is open; the check here only fixes the order of refusals.
 */
export async function validateTransfer(
  deps: ValidationDeps,
  request: TransferRequest,
): Promise<{ amount: Minor; legAccounts: LegAccount[] }> {
  const { member, from, to } = request;
  const accounts = await deps.game.legAccounts(member.id, [from, to]);
  const gameOf = (code: string): LegAccountRow | undefined => accounts.find((account) => account.code === code);
  assertGames(request, gameOf);
  const { amount: requestedAmount } = request;
  const isOpen = isOpenAmount(requestedAmount);
  const fixedAmount = isOpen ? ZERO : readTransferAmount(requestedAmount);
  if (fixedAmount === undefined) throw new Refusal('TRANSFER_MINIMUM');
  try {
    const legAccounts = legsBetween(from, to).map(({ gameCode, direction }) =>
      toLegAccount(gameOf(gameCode), direction),
    );
    assertNoPendingTransfer(legAccounts);
    if (!isOpen) assertCreditsInRange(fixedAmount, legAccounts);
    const [firstAccount, ...otherAccounts] = legAccounts;
    if (!firstAccount) throw new Error('a transfer without legs');
    // The second game's balance is read when its own leg starts.
    const accountsWithBalance = [await readBalanceBefore(deps, firstAccount), ...otherAccounts];
    const amount = isOpen
      ? amountToMove(requestedAmount, await fullBalance(deps, member, accountsWithBalance[0] ?? firstAccount))
      : fixedAmount;
    assertCreditsInRange(amount, accountsWithBalance);
    return { amount, legAccounts: accountsWithBalance };
  } catch (error) {
    if (error instanceof Refusal) await deps.account.assertWalletOpen(member.id);
    throw error;
  }
}

function assertGames({ from, to }: TransferRequest, gameOf: (code: string) => LegAccountRow | undefined): void {
  for (const code of [from, to]) {
    const game = gameOf(code);
    if (code !== WALLET && (!game || (game.isHidden && code === to))) throw new Refusal('NO_GAME');
  }
  if (from === to) throw new Refusal('NO_GAME', { detail: 'SAME_ACCOUNT' });
}

function assertNoPendingTransfer(legAccounts: readonly LegAccount[]): void {
  for (const { game } of legAccounts) {
    if (game.inMaintenance) throw new Refusal('GAME_ACTIVATION_FAIL', { detail: 'MAINTENANCE' });
  }
  // The reservation would refuse the transfer too, but only after a needless inquiry.
  if (legAccounts.some(({ account }) => account.busyWith !== null)) throw transferInProgress();
}

function toLegAccount(game: LegAccountRow | undefined, direction: Direction): LegAccount {
  if (game?.account) return { game, account: game.account, direction };
  throw new Refusal(game?.isHidden ? 'NO_GAME' : 'SLOT_NO_ACCOUNT');
}

/**
 * Reads the balance at the provider if it is needed. It is needed to move winnings out of a game. It also proves the
 * outcome of a call without a reply, if the provider has no inquiries.
 * @throws {Refusal} TRANSFER_FAIL if the provider does not report the balance
 */
async function readBalanceBefore(deps: Pick<ValidationDeps, 'providers'>, legAccount: LegAccount): Promise<LegAccount> {
  const provider = deps.providers.get(legAccount.account.provider);
  if (!provider) throw new Refusal('TRANSFER_FAIL', { detail: 'PROVIDER_NOT_CONFIGURED' });
  if (legAccount.direction === 'in' && provider.check) return legAccount;
  const balance = await provider.balance(legAccount.account.username);
  if (balance.outcome !== 'done') throw new Refusal('TRANSFER_FAIL', { detail: unreadableDetail(balance) });
  return { ...legAccount, balanceBefore: { cash: balance.value.cash, reading: balanceReading(balance.value) } };
}

/**
 * Free balance of the source: the wallet's from the ledger, a game's from its provider, because winnings count. If the
 * balance shrinks concurrently, the hold is refused and nothing moves.
 * @throws {Refusal} TRANSFER_MINIMUM if it is empty, or too little for a transfer into a game
 */
async function fullBalance(
  deps: Pick<ValidationDeps, 'ledger'>,
  member: Pick<Member, 'id' | 'currency'>,
  { game, direction, balanceBefore }: LegAccount,
): Promise<Minor> {
  if (direction === 'out') {
    const amount = toAmount(balanceBefore?.cash ?? (0n as Credits), game.creditsPerUnit);
    // No minimum for transfers to the wallet: the member can always move out the full balance.
    if (amount <= 0n) throw new Refusal('TRANSFER_MINIMUM', { detail: 'EMPTY' });
    return amount;
  }
  const accounts = await deps.ledger.balances(member.id);
  const wallet = accounts.find(({ kind, currency }) => kind === WALLET && currency === member.currency);
  const free = wallet?.free ?? ZERO;
  if (!isAboveMinimum(free)) throw new Refusal('TRANSFER_MINIMUM');
  return free;
}

const amountToMove = (requestedAmount: typeof FULL_BALANCE | AmountAtMost, free: Minor): Minor =>
  requestedAmount instanceof AmountAtMost && requestedAmount.amount < free ? requestedAmount.amount : free;

function assertCreditsInRange(amount: Minor, legAccounts: readonly LegAccount[]): void {
  for (const { game } of legAccounts) {
    if (toCredits(amount, game.creditsPerUnit) > CREDITS_MAX) throw new Refusal('MONEY_NOT_ENOUGH');
  }
}
