import { useCallback, useEffect, useRef, useState } from 'react';
import { call } from '../../api/call.ts';
import { ApiFailure } from '../../api/errors.ts';
import { type CommandState, useCommand } from '../../api/query/command.ts';
import { SpinRefused, WHEEL_SCOPES } from './use-spin.ts';
import type { ClaimedPrize, Coupon } from './use-wheel.ts';

/** Debounce time of the confirm button, in ms. */
const CONFIRM_DEBOUNCE_MS = 500;

/** State of a claim. `done` without a reply: the coupon was claimed, and the credit follows without another call. */
export type ClaimState = CommandState<Coupon, ClaimedPrize | undefined> | { status: 'asked'; input: Coupon };

export type CouponClaim = {
  state: ClaimState;
  askToConfirm: (coupon: Coupon) => void;
  confirm: () => void;
  /** Claims without a confirmation, where the coupon's condition is already shown. */
  claimNow: (coupon: Coupon) => void;
  close: () => void;
};

async function claimCoupon(coupon: Coupon): Promise<ClaimedPrize | undefined> {
  const request = call('POST /api/spinwheel/coupon/claim', { body: { coupon: coupon._id }, quiet: true });
  const reply = await request.catch((failure: unknown) => {
    if (failure instanceof ApiFailure && failure.isCreditPending) return undefined;
    throw failure;
  });
  if (!reply) return undefined;
  if (!reply.success || !reply.result) throw new SpinRefused(reply.error ?? 'INTERNAL_SERVER_ERROR');
  return reply.result;
}

/** Claims a coupon, with or without a confirmation. Repeated claims of a coupon pay once. */
export function useClaim(): CouponClaim {
  const [requestedCoupon, setRequestedCoupon] = useState<Coupon>();
  // The wallet must be up to date when the result is shown.
  const { state, send, reset } = useCommand({ send: claimCoupon, invalidates: WHEEL_SCOPES, waitForRefetch: true });
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const confirm = useCallback(() => {
    if (!requestedCoupon) return;
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      setRequestedCoupon(undefined);
      void send(requestedCoupon);
    }, CONFIRM_DEBOUNCE_MS);
  }, [requestedCoupon, send]);
  const close = useCallback(() => {
    clearTimeout(timer.current);
    setRequestedCoupon(undefined);
    reset();
  }, [reset]);
  return {
    state: requestedCoupon ? { status: 'asked', input: requestedCoupon } : state,
    askToConfirm: setRequestedCoupon,
    confirm,
    claimNow: useCallback((coupon: Coupon) => void send(coupon), [send]),
    close,
  };
}
