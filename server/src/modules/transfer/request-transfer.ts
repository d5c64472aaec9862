import { sleep } from '../../platform/clock.ts';
import { newReference, uuidV7 } from '../../platform/ids.ts';
import { Refusal } from '../../platform/refusal.ts';
import { hashRequest, runCommand } from '../../settlement/command.ts';
import { retryLocked } from '../../settlement/step.ts';
import type { Minor } from '@krapao/contract/money';
import { noWallet } from '../account/module.ts';
import { toCredits } from '../game/module.ts';
import { carryOut, sendUntilMs } from './carry-out.ts';
import { checkTransfer, type CheckedEnd, isOpenAmount, type TransferRequest, underWay } from './check-transfer.ts';
import { findByKey, selectLegs } from './queries.ts';
import { type NewLeg, openStep } from './steps.ts';
import { answerOf, isFinal, type Leg, type Transfer } from './transfer.ts';
import { leaseMs, longestMs, type TransferWork } from './transfer-work.ts';

export type { TransferRequest } from './check-transfer.ts';
export type TransferAnswer = { reference: string; status: 'DONE' | 'PROCESSING'; amount: Minor };

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
export function requestTransfer(work: TransferWork, request: TransferRequest): Promise<TransferAnswer> {
  const { member, idempotencyKey: key } = request;
  const requestHash = hashOf(request);
  const reread = async (transfer: Transfer): Promise<Row> => ({
    transfer,
    legs: await selectLegs(work.database, transfer.id),
    sendUntilMs: null,
  });
  return runCommand<Row, TransferAnswer>({
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
      const ended = await carryOut(work, row.transfer, row.legs, row.sendUntilMs);
      return ended ? { ...row, legs: ended } : reread(row.transfer);
    },
    // Once the provider has left us without an answer there is nothing to wait for.
    isAnswerable: ({ legs }) =>
      legs.every(({ state }) => isFinal(state)) || legs.some(({ state }) => isOpenEnded(state)),
    reread: ({ transfer }) => reread(transfer),
    answer,
    busy: underWay,
  });
}

/**
 * Checks the request, then commits the transfer with its legs, the reservation of their game accounts and the hold.
 * Undefined: the key is used by now.
 */
async function open(work: TransferWork, request: TransferRequest, inputHash: Buffer): Promise<Row | undefined> {
  const { member, idempotencyKey } = request;
  for (let read = 0; read < READS_MAX; read += 1) {
    if (read > 0) await sleep(READ_AGAIN_MS);
    const { amount, ends } = await checkTransfer(work, request);
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
    const step = openStep(transfer, idempotencyKey ?? id, opened);
    const { letter, startedMs } = await retryLocked(() => work.ledger.postStep(step));
    const legs = opened.map(({ leg }) => leg);
    switch (letter) {
      case 'o':
      case 'O':
        return { transfer, legs, sendUntilMs: sendUntilMs(startedMs) };
      case 'r':
        return { transfer, legs: legs.map(withoutMoney), sendUntilMs: null };
      case 'R':
        // Reversed by an earlier call, or by the resolver while the reply to it was lost: the row says why.
        return { transfer, legs: await selectLegs(work.database, id), sendUntilMs: null };
      case 't':
        return undefined;
      case 's':
        throw noWallet();
      case 'b':
        throw underWay();
    }
    // Something has happened to a game account since it was read.
  }
  throw underWay();
}

function newLeg(work: TransferWork, transfer: Transfer, end: CheckedEnd, leg: 1 | 2): NewLeg {
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
    leaseMs: leaseMs(longestMs(work)),
    version: before ? account.version : null,
    cash: direction === 'out' ? (before?.cash ?? null) : null,
  };
}

const withoutMoney = (leg: Leg): Leg => ({ ...leg, state: 'REVERSED', code: 'MONEY_NOT_ENOUGH' });

const isOpenEnded = (state: string): boolean => state === 'UNKNOWN' || state === 'MANUAL';

function answer({ transfer: { reference, amount }, legs }: Row): TransferAnswer {
  const told = answerOf(legs);
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
