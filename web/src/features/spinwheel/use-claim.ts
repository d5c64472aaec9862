import { useCallback, useEffect, useRef, useState } from 'react';
import { call } from '../../api/call.ts';
import { ApiFailure } from '../../api/errors.ts';
import { type CommandState, useCommand } from '../../api/query/command.ts';
import { SpinRefused, WHEEL_SCOPES } from './use-spin.ts';
import type { Claimed, Coupon } from './use-wheel.ts';

/** Debounce of the confirm button, in ms. */
const CONFIRM_REST_MS = 500;

/** State of a claim. `done` without a reply: claimed, and the credit follows without another call. */
export type ClaimState = CommandState<Coupon, Claimed | undefined> | { status: 'asked'; input: Coupon };

export type CouponClaim = { state: ClaimState; ask: (coupon: Coupon) => void; confirm: () => void; close: () => void };

async function claim(coupon: Coupon): Promise<Claimed | undefined> {
  const request = call('POST /api/spinwheel/coupon/claim', { body: { coupon: coupon._id }, quiet: true });
  const reply = await request.catch((failure: unknown) => {
    if (failure instanceof ApiFailure && failure.isComing) return undefined;
    throw failure;
  });
  if (!reply) return undefined;
  if (!reply.success || !reply.result) throw new SpinRefused(reply.error ?? 'INTERNAL_SERVER_ERROR');
  return reply.result;
}

/** Claims a coupon after a confirmation. Repeated claims pay once. */
export function useClaim(): CouponClaim {
  const [asked, ask] = useState<Coupon>();
  // The wallet must be current when the result is shown.
  const { state, send, reset } = useCommand({ send: claim, invalidates: WHEEL_SCOPES, waitForRefetch: true });
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const confirm = useCallback(() => {
    if (!asked) return;
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      ask(undefined);
      void send(asked);
    }, CONFIRM_REST_MS);
  }, [asked, send]);
  const close = useCallback(() => {
    clearTimeout(timer.current);
    ask(undefined);
    reset();
  }, [reset]);
  return { state: asked ? { status: 'asked', input: asked } : state, ask, confirm, close };
}
