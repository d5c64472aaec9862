import { createHash } from 'node:crypto';
import type { Minor } from '@krapao/contract/money';
import type { GiftRedeemer } from '../../../adapters/gift-redeemer.ts';
import { Refusal } from '../../../platform/errors.ts';
import type { Member } from '../../../platform/http/caller.ts';
import { newReference, uuidV7 } from '../../../platform/ids.ts';
import { sleep } from '../../../platform/time.ts';
import { countHit } from '../../operator-data/index.ts';
import { advanceGift } from './advance-gift.ts';
import { type Gift, type TruelinkDeps, leaseMs, readLink } from './gift.ts';
import { findGift, findGiftByHash, insertGift } from './queries.ts';

export type GiftResult = { reference: string } & ({ status: 'SUCCESS'; amount: Minor } | { status: 'PROCESSING' });

const REFERENCE_CHARACTERS = 12;
/** Longest wait of a request while the receiver redeems another link. */
const RECEIVER_WAIT_MS = 4_000;
const RETRY_INTERVAL_MS = 250;

/** `bonus`: code of the chosen bonus, '' for none. Unvalidated. */
export type GiftRequest = { link: string; bonus: string };

/**
 * Redeems a gift link for the member who sends it first. A repetition by that member gets PROCESSING while the gift is
 * pending.
 * @throws {Refusal} TRUELINK_INVALID, TRUELINK_DUPLICATE, NO_WALLET, REQUEST_LIMIT_1MIN, NO_PROMOTION (the chosen bonus)
 */
export async function redeemGift(
  deps: TruelinkDeps,
  member: Member,
  { link, bonus }: GiftRequest,
): Promise<GiftResult> {
  const operatorData = await deps.readOperatorData();
  const existingGift = await findKnownGift(deps, link);
  // A repetition by the same member is a replay and not counted.
  if (existingGift?.memberId === member.id) return toReplayResult(existingGift, member);
  await countHit(deps, 'truelink.member', member.id);
  const isGiftEnabled = operatorData.offeredMethods.walletAccounts.some(({ mode }) => mode === 'GIFT');
  if (operatorData.isStopped('deposit.truelink')) throw new Refusal('NO_WALLET', { detail: 'STOPPED' });
  const { redeemer } = deps;
  if (!redeemer || !isGiftEnabled) throw new Refusal('NO_WALLET', { detail: 'GIFT_CLOSED' });
  if (member.currency !== 'BAHT') throw new Refusal('NO_WALLET', { detail: 'CURRENCY' });
  await deps.account.assertWalletOpen(member.id);
  const giftHash = readLink(link, deps.secret);
  const hashSha256 = sha256(giftHash);
  const bonusCode = await deps.bonusChoice.check(member.currency, bonus);
  const id = uuidV7(deps.clock.now());
  const isFirst = await insertGift(
    deps.database,
    {
      id,
      hashSha256,
      sealedHash: deps.secretBox.seal(giftHash, id),
      memberId: member.id,
      reference: `G${newReference(REFERENCE_CHARACTERS)}`,
      receiver: redeemer.receiver,
      bonusCode,
    },
    leaseMs(redeemer),
  );
  if (!isFirst) return toReplayResult(await findGiftByHash(deps.database, hashSha256), member);
  return toResult(await advanceUntilSettled(deps, redeemer, id));
}

const sha256 = (giftHash: string): Buffer => createHash('sha256').update(giftHash).digest();

/** Finds the gift of a link that any member sent before; undefined also for an unreadable link. */
async function findKnownGift(deps: TruelinkDeps, link: string): Promise<Gift | undefined> {
  try {
    return await findGiftByHash(deps.database, sha256(readLink(link, deps.secret)));
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

// After a failure the row has the state from which the resolver continues.
async function advanceUntilSettled(deps: TruelinkDeps, redeemer: GiftRedeemer, id: string): Promise<Gift> {
  for (let waitedMs = 0; ; waitedMs += RETRY_INTERVAL_MS) {
    const gift = await findGift(deps.database, id);
    if (!gift) throw new Error(`the gift ${id} is gone`);
    if (gift.state !== 'NEW' || gift.inquiries > 0 || waitedMs >= RECEIVER_WAIT_MS) return gift;
    if (waitedMs > 0) await sleep(RETRY_INTERVAL_MS);
    try {
      await advanceGift(deps, redeemer, gift);
    } catch (error) {
      deps.log.error({ err: error, reference: gift.reference }, 'gift call interrupted, resolver continues');
      return gift;
    }
  }
}

function toResult(gift: Gift): GiftResult {
  const { reference, state, amount } = gift;
  if (state === 'FAILED') throw toRefusal(gift);
  return state === 'CREDITED' && amount !== null
    ? { reference, status: 'SUCCESS', amount }
    : { reference, status: 'PROCESSING' };
}

function toReplayResult(gift: Gift | undefined, member: Member): GiftResult {
  if (gift?.memberId !== member.id || gift.state === 'CREDITED') {
    throw new Refusal('TRUELINK_DUPLICATE', { detail: 'SENT_BEFORE' });
  }
  if (gift.state === 'FAILED') throw toRefusal(gift);
  return { reference: gift.reference, status: 'PROCESSING' };
}

const toRefusal = ({ code, detail, reference }: Gift): Refusal =>
  new Refusal(code ?? 'TRUELINK_INVALID', { ...(detail === null ? {} : { detail }), reference });
