import { createHash } from 'node:crypto';
import { type Minor, ZERO } from '@krapao/contract/money';
import { sleep } from '../../platform/clock.ts';
import type { Member } from '../../platform/http/caller/member.ts';
import { newReference, uuidV7 } from '../../platform/ids.ts';
import { Refusal } from '../../platform/refusal.ts';
import { toCredits, WALLET } from '../game/module.ts';
import { FULL_BALANCE, readFullBalance } from './full-balance.ts';
import { type End, openTransfer } from './open-transfer.ts';
import { findByKey, selectLegs } from './queries.ts';
import { runLeg } from './run-leg.ts';
import { answerOf, isFinal, legsOf, readTransferAmount, type Transfer } from './transfer.ts';
import type { TransferWork } from './transfer-work.ts';

export type TransferRequest = {
  member: Pick<Member, 'id' | 'currency'>;
  from: string;
  to: string;
  /** As it came, or {@link FULL_BALANCE}. */
  amount: unknown;
  idempotencyKey: string | undefined;
};
export type TransferAnswer = { reference: string; status: 'DONE' | 'PROCESSING'; amount: Minor };

const REFERENCE_CHARACTERS = 13;
/** The most that a leg can say. Nobody has so much, wherever it lies. */
const CREDITS_MAX = 2n ** 63n - 1n;
const PATIENCE_MS = 4_000;
const LOOK_EVERY_MS = 100;

/**
 * Moves money between the wallet and a game, or from game to game through the wallet. The same idempotency key with the
 * same input gets the same transfer's answer; a refusal before its row keeps nothing.
 * @throws NO_GAME, TRANSFER_MINIMUM, NO_WALLET, SLOT_NO_ACCOUNT, GAME_ACTIVATION_FAIL, MONEY_NOT_ENOUGH, TRANSFER_FAIL,
 *   KEY_INVALID (the key stands for another input), REQUEST_LIMIT (another transfer of that game account is under way)
 */
export async function requestTransfer(work: TransferWork, request: TransferRequest): Promise<TransferAnswer> {
  const key = request.idempotencyKey ?? uuidV7(work.clock.now());
  const inputHash = hashInput(request);
  const known = await findByKey(work.database, request.member.id, key);
  if (known) return repeat(work, known, inputHash);
  const ends = new Map<string, End>();
  let amount: Minor;
  try {
    amount = await check(work, request, ends);
  } catch (error) {
    // The same command may have come in meanwhile, and be the reason why there is too little now.
    const twin = await findByKey(work.database, request.member.id, key);
    if (twin) return repeat(work, twin, inputHash);
    throw error;
  }
  const wanted: Transfer = {
    id: uuidV7(work.clock.now()),
    memberId: request.member.id,
    currency: request.member.currency,
    source: request.from,
    target: request.to,
    amount,
    reference: `T${newReference(REFERENCE_CHARACTERS)}`,
    inputHash,
  };
  const { transfer, isNew } = await openTransfer(work, wanted, ends, key);
  if (!isNew) return repeat(work, transfer, inputHash);
  await carryOut(work, transfer);
  return answer(work, transfer);
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

// Whatever fails here leaves rows that tell how far it came, and the resolver goes on from there.
async function carryOut(work: TransferWork, transfer: Transfer): Promise<void> {
  try {
    for (const number of [1, 2]) {
      const leg = (await selectLegs(work.database, transfer.id)).find((one) => one.leg === number);
      if (leg?.state !== 'HELD') return;
      await runLeg(work, leg);
      const after = (await selectLegs(work.database, transfer.id)).find((one) => one.leg === number);
      if (after?.state !== 'DONE') return;
    }
  } catch (error) {
    work.log.error({ err: error, reference: transfer.reference }, 'a transfer was left to the resolver');
  }
}

async function repeat(work: TransferWork, transfer: Transfer, inputHash: Buffer): Promise<TransferAnswer> {
  if (!transfer.inputHash.equals(inputHash)) throw new Refusal('KEY_INVALID', { detail: 'IDEMPOTENCY_KEY_REUSED' });
  for (let waitedMs = 0; waitedMs < PATIENCE_MS; waitedMs += LOOK_EVERY_MS) {
    const legs = await selectLegs(work.database, transfer.id);
    // Once the provider has left us without an answer there is nothing to wait for.
    if (legs.every(({ state }) => isFinal(state)) || legs.some(({ state }) => isOpenEnded(state))) break;
    await sleep(LOOK_EVERY_MS);
  }
  return answer(work, transfer);
}

const isOpenEnded = (state: string): boolean => state === 'UNKNOWN' || state === 'MANUAL';

async function answer(work: TransferWork, { id, reference, amount }: Transfer): Promise<TransferAnswer> {
  const told = answerOf(await selectLegs(work.database, id));
  switch (told.kind) {
    case 'done':
      return { reference, status: 'DONE', amount };
    case 'processing':
      return { reference, status: 'PROCESSING', amount };
    case 'refused':
      throw new Refusal(told.code, told.detail === undefined ? {} : { detail: told.detail });
  }
}

// An amount that is no number is refused, whatever it is: nothing is kept of it, and it may be nested without end.
function hashInput({ from, to, amount }: TransferRequest): Buffer {
  const asked = amount === FULL_BALANCE ? 'FULL_BALANCE' : typeof amount === 'number' ? amount : null;
  return createHash('sha256')
    .update(JSON.stringify([from, to, asked]))
    .digest();
}
