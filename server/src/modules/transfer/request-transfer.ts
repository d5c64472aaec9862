import { type Minor, ZERO } from '@krapao/contract/money';
import type { Member } from '../../platform/http/caller/member.ts';
import { newReference, uuidV7 } from '../../platform/ids.ts';
import { Refusal } from '../../platform/refusal.ts';
import { hashRequest, runCommand } from '../../settlement/command.ts';
import { toCredits, WALLET } from '../game/module.ts';
import { FULL_BALANCE, readFullBalance } from './full-balance.ts';
import { type End, openTransfer, underWay } from './open-transfer.ts';
import { findByKey, selectLegs } from './queries.ts';
import { runLeg } from './run-leg.ts';
import { answerOf, isFinal, type Leg, legsOf, readTransferAmount, type Transfer } from './transfer.ts';
import type { TransferWork } from './transfer-work.ts';

export type TransferRequest = {
  member: Pick<Member, 'id' | 'currency'>;
  from: string;
  to: string;
  /** As it came, or {@link FULL_BALANCE}. */
  amount: unknown;
  idempotencyKey: string | undefined;
};
type Row = { transfer: Transfer; legs: readonly Leg[] };
export type TransferAnswer = { reference: string; status: 'DONE' | 'PROCESSING'; amount: Minor };

const REFERENCE_CHARACTERS = 13;
/** The most that a leg can say. Nobody has so much, wherever it lies. */
const CREDITS_MAX = 2n ** 63n - 1n;

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
  });
  return runCommand<Row, TransferAnswer>({
    key,
    requestHash,
    find: async (used) => {
      const known = await findByKey(work.database, member.id, used);
      return known && { row: await reread(known), requestHash: known.inputHash };
    },
    open: async () => {
      const ends = new Map<string, End>();
      const amount = await check(work, request, ends);
      const transfer: Transfer = {
        id: uuidV7(work.clock.now()),
        memberId: member.id,
        currency: member.currency,
        source: request.from,
        target: request.to,
        amount,
        reference: `T${newReference(REFERENCE_CHARACTERS)}`,
        inputHash: requestHash,
      };
      const legs = await openTransfer(work, transfer, ends, key ?? transfer.id);
      return legs && { row: { transfer, legs }, isNew: true };
    },
    carryOut: async ({ transfer, legs }) => {
      const ended = await carryOut(work, transfer, legs);
      return ended ? { transfer, legs: ended } : reread(transfer);
    },
    // Once the provider has left us without an answer there is nothing to wait for.
    isAnswerable: ({ legs }) =>
      legs.every(({ state }) => isFinal(state)) || legs.some(({ state }) => isOpenEnded(state)),
    reread: ({ transfer }) => reread(transfer),
    answer,
    busy: underWay,
  });
}

/** The checks that need no money, in their order. Fills in the game accounts of both ends. */
async function check(work: TransferWork, request: TransferRequest, ends: Map<string, End>): Promise<Minor> {
  const { member, from, to } = request;
  for (const code of [from, to]) {
    const game = code === WALLET ? undefined : await work.game.findGame(code);
    if (code !== WALLET && (!game || (game.isHidden && code === to))) throw new Refusal('NO_GAME');
  }
  if (from === to) throw new Refusal('NO_GAME', { detail: 'SAME_ACCOUNT' });
  const isWhole = request.amount === FULL_BALANCE;
  const asked = isWhole ? ZERO : readTransferAmount(request.amount);
  if (asked === undefined) throw new Refusal('TRANSFER_MINIMUM');
  await work.account.assertWalletOpen(member.id);
  for (const { gameCode, direction } of legsOf(from, to)) {
    const end =
      direction === 'out' ? work.game.findSource(member.id, gameCode) : work.game.findAccount(member.id, gameCode);
    ends.set(gameCode, await end);
  }
  for (const { game } of ends.values()) {
    if (game.inMaintenance) throw new Refusal('GAME_ACTIVATION_FAIL', { detail: 'MAINTENANCE' });
  }
  const amount = isWhole ? await readFullBalance(work, member, ends.get(from)) : asked;
  assertCountable(amount, ends);
  return amount;
}

function assertCountable(amount: Minor, ends: ReadonlyMap<string, End>): void {
  for (const { game } of ends.values()) {
    if (toCredits(amount, game.ftWalletSlot) > CREDITS_MAX) throw new Refusal('MONEY_NOT_ENOUGH');
  }
}

/**
 * Runs the legs one after the other. Whatever fails leaves rows that tell how far it came, and the resolver goes on from there.
 * @returns the legs as they ended; undefined when they have to be read again
 */
async function carryOut(work: TransferWork, transfer: Transfer, legs: readonly Leg[]): Promise<Leg[] | undefined> {
  const ended: Leg[] = [];
  try {
    for (const leg of legs) {
      const after = await runLeg(work, leg);
      if (after) ended.push(after);
      if (after?.state !== 'DONE') break;
    }
  } catch (error) {
    work.log.error({ err: error, reference: transfer.reference }, 'a transfer was left to the resolver');
  }
  return ended.length === legs.length ? ended : undefined;
}

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
  return hashRequest([from, to, amount === FULL_BALANCE ? 'EVERYTHING' : typeof amount === 'number' ? amount : null]);
}
