import { useCallback, useEffect, useRef, useState } from 'react';
import { call } from '../../api/call.ts';
import { ApiFailure, isUndecided } from '../../api/errors.ts';
import { SpinRefused, reloadWheel } from './use-spin.ts';
import type { Claimed, Coupon } from './use-wheel.ts';

/** Debounce of the confirm button, in ms. */
const CONFIRM_REST_MS = 500;

export type ClaimPhase =
  | { step: 'idle' }
  | { step: 'asked'; coupon: Coupon }
  | { step: 'sending'; coupon: Coupon }
  | { step: 'done'; coupon: Coupon; claimed: Claimed }
  /** Claimed; the credit follows without another call. */
  | { step: 'coming'; coupon: Coupon }
  | { step: 'failed'; coupon: Coupon; failure: unknown }
  | { step: 'undecided'; coupon: Coupon; failure: unknown };

export type CouponClaim = { state: ClaimPhase; ask: (coupon: Coupon) => void; confirm: () => void; close: () => void };

async function claimed(coupon: Coupon): Promise<ClaimPhase> {
  try {
    const body = { coupon: coupon._id };
    const { success, error, result } = await call('POST /api/spinwheel/coupon/claim', { body, quiet: true });
    if (success && result) return { step: 'done', coupon, claimed: result };
    return { step: 'failed', coupon, failure: new SpinRefused(error ?? 'INTERNAL_SERVER_ERROR') };
  } catch (failure) {
    if (failure instanceof ApiFailure && failure.isComing) return { step: 'coming', coupon };
    return { step: isUndecided(failure) ? 'undecided' : 'failed', coupon, failure };
  }
}

/** Claims a coupon after a confirmation. Repeated claims pay once. */
export function useClaim(): CouponClaim {
  const [state, setState] = useState<ClaimPhase>({ step: 'idle' });
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);

  const send = useCallback(async (coupon: Coupon) => {
    setState({ step: 'sending', coupon });
    const next = await claimed(coupon);
    // The wallet must be current when the result is shown.
    await reloadWheel();
    setState(next);
  }, []);

  const coupon = state.step === 'asked' ? state.coupon : undefined;
  const confirm = useCallback(() => {
    if (!coupon) return;
    clearTimeout(timer.current);
    timer.current = setTimeout(() => void send(coupon), CONFIRM_REST_MS);
  }, [coupon, send]);
  const ask = useCallback((asked: Coupon) => setState({ step: 'asked', coupon: asked }), []);
  const close = useCallback(() => {
    clearTimeout(timer.current);
    setState({ step: 'idle' });
  }, []);
  return { state, ask, confirm, close };
}
