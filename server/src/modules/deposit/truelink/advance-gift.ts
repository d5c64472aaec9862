import type { Minor } from '@krapao/contract/money';
import { giftTransitions } from '@krapao/contract/states';
import type { GiftReply, GiftRedeemer } from '../../../adapters/gift-redeemer.ts';
import { assertNever } from '../../../platform/errors.ts';
import { provesNotApplied, isInquiryExpired, canNoLongerApply, backoffMs } from '../../../platform/jobs/resolver.ts';
import { statesBefore } from '../../../platform/state-machine.ts';
import { postDeposit } from '../post-deposit.ts';
import { giftFailure, type Gift, GIFT_MINIMUM, type TruelinkDeps, leaseMs } from './gift.ts';
import { markFailed, markManual, markRedeeming, markUnknown, markNotRedeemed, scheduleGift } from './queries.ts';

/** Retry delay while another link of the same receiver is being redeemed. */
const RECEIVER_BUSY_MS = 1_000;
const FIRST_INQUIRY_MS = 2_000;

/**
 * Processes a link: verifies it and redeems it once. Without a reply, inquires until the outcome is proven. Safe to
 * repeat after a crash at any point.
 */
export async function advanceGift(deps: TruelinkDeps, redeemer: GiftRedeemer, gift: Gift): Promise<void> {
  switch (gift.state) {
    case 'NEW':
      return verifyAndRedeem(deps, redeemer, gift);
    case 'REDEEMING':
      // The lease has expired, so the redeeming process died. Its call may have been executed.
      await markUnknown(deps.database, gift.id, 0);
      return deps.wakeResolver();
    case 'UNKNOWN':
      return resolveUnknown(deps, redeemer, gift);
    case 'CREDITED':
    case 'FAILED':
    case 'MANUAL':
  }
}

async function verifyAndRedeem(deps: TruelinkDeps, redeemer: GiftRedeemer, gift: Gift): Promise<void> {
  const giftHash = unsealHash(deps, gift);
  const reply = await redeemer.verify(giftHash);
  switch (reply.answer) {
    case 'REFUSED':
      return failGift(deps, gift, reply.refusal);
    case 'TICKET':
    case 'TICKET_UNREADABLE':
      // Redeemed by this receiver, but not for this row.
      await markFailed(deps.database, gift.id, { code: 'TRUELINK_DUPLICATE', detail: 'REDEEMED' });
      return;
    case 'UNKNOWN':
      return retryLater(deps, gift, reply.reason, 0);
    case 'REDEEMABLE':
      if (reply.share < GIFT_MINIMUM) {
        await markFailed(deps.database, gift.id, { code: 'TRUELINK_INVALID', detail: 'BELOW_MINIMUM' });
        return;
      }
      return redeem(deps, redeemer, gift, giftHash);
  }
}

async function redeem(deps: TruelinkDeps, redeemer: GiftRedeemer, gift: Gift, giftHash: string): Promise<void> {
  if (!(await markRedeeming(deps.database, gift.id, leaseMs(redeemer)))) {
    await scheduleGift(deps.database, gift.id, { inMs: RECEIVER_BUSY_MS, inquiries: gift.inquiries, absences: 0 });
    return;
  }
  const reply = await redeemer.redeem(giftHash);
  if (reply.answer === 'TICKET') {
    return creditGift(deps, gift, reply).catch(async (error: unknown) => {
      // The receiver redeems one link at a time: the next link must not wait for this credit.
      await markUnknown(deps.database, gift.id, FIRST_INQUIRY_MS);
      throw error;
    });
  }
  if (reply.answer === 'REFUSED') return failGift(deps, gift, reply.refusal);
  const reason = reply.answer === 'UNKNOWN' ? reply.reason : reply.answer;
  deps.log.warn({ reference: gift.reference, reason }, 'gift redemption without an outcome');
  await markUnknown(deps.database, gift.id, FIRST_INQUIRY_MS);
}

async function resolveUnknown(deps: TruelinkDeps, redeemer: GiftRedeemer, gift: Gift): Promise<void> {
  const reply: GiftReply = await redeemer.verify(unsealHash(deps, gift));
  switch (reply.answer) {
    case 'TICKET':
      return creditGift(deps, gift, reply);
    case 'TICKET_UNREADABLE':
      deps.log.error({ reference: gift.reference }, 'gift redeemed, amount unknown');
      await markManual(deps.database, gift.id);
      return;
    case 'REFUSED':
      return failGift(deps, gift, reply.refusal);
    case 'UNKNOWN':
      return retryLater(deps, gift, reply.reason, gift.absences);
    case 'REDEEMABLE': {
      const redeemCall = { sentAgoMs: gift.redeemedAgoMs, absences: gift.absences };
      if (!provesNotApplied(redeemCall, redeemer.timeoutMs)) {
        // "Not redeemed" counts only after the lost call can no longer be in flight.
        const absences = canNoLongerApply(redeemCall, redeemer.timeoutMs) ? gift.absences + 1 : 0;
        return retryLater(deps, gift, 'untouched so far', absences);
      }
      await markNotRedeemed(deps.database, gift.id);
      deps.wakeResolver();
    }
  }
}

/** Outcomes of `commands.gift_credit`, documented there. */
export const CREDIT_OUTCOMES = ['applied', 'replayed', 'amount_conflict', 'not_creditable', 'row_locked'] as const;

async function creditGift(
  deps: TruelinkDeps,
  { id, memberId, reference, hashSha256 }: Gift,
  { amount, voucherId }: { amount: Minor; voucherId: string | null },
): Promise<void> {
  const key = `deposit:gift:${hashSha256.toString('hex')}`;
  const creditableStates = statesBefore(giftTransitions, 'CREDITED');
  const outcome = await postDeposit(
    deps.ledger,
    { key, memberId, houseAccount: 'wallet-app', currency: 'BAHT', amount, reference, actor: 'truelink' },
    {
      kind: 'gift_credit',
      outcomes: CREDIT_OUTCOMES,
      row: { id, from: creditableStates, amount: String(amount), voucher: voucherId },
    },
  );
  switch (outcome) {
    case 'applied':
      deps.log.info({ reference }, 'gift credited');
      return;
    case 'replayed':
      return;
    case 'amount_conflict':
    case 'not_creditable':
      deps.log.error({ reference, outcome }, 'redeemed gift cannot be credited');
      return;
    default:
      return assertNever(outcome);
  }
}

async function failGift(deps: TruelinkDeps, gift: Gift, refusal: Parameters<typeof giftFailure>[0]): Promise<void> {
  if (refusal === 'NO_RECEIVER') deps.log.error({ receiver: gift.receiver }, 'receiving phone has no wallet');
  await markFailed(deps.database, gift.id, giftFailure(refusal));
}

async function retryLater(deps: TruelinkDeps, gift: Gift, reason: string, absences: number): Promise<void> {
  const inquiryCount = gift.inquiries + 1;
  deps.log.warn({ reference: gift.reference, reason, inquiries: inquiryCount }, 'gift to be inquired about again');
  if (gift.state === 'UNKNOWN' && isInquiryExpired(gift.ageMs)) {
    await markManual(deps.database, gift.id);
    return;
  }
  if (gift.state === 'NEW' && isInquiryExpired(gift.ageMs)) {
    // Never redeemed: the gift stays with its sender.
    await markFailed(deps.database, gift.id, { code: 'TRUELINK_INVALID', detail: 'NO_ANSWER' });
    return;
  }
  await scheduleGift(deps.database, gift.id, { inMs: backoffMs(inquiryCount), inquiries: inquiryCount, absences });
}

function unsealHash(deps: TruelinkDeps, gift: Gift): string {
  if (gift.sealedHash === null) throw new Error(`the link of the gift ${gift.reference} is gone`);
  return deps.secretBox.open(gift.sealedHash, gift.id);
}
