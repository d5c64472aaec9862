import { useEffect, useState } from 'react';
import { serverNow } from '../../../api/call.ts';
import { onSessionEnd } from '../../../api/session.ts';
import type { LiveQrCode } from './use-qr-deposit.ts';

/** Assumed lifetime of a code that was created before this visit, in ms. */
const LIFETIME_MS = 10 * 60_000;
const SECOND_MS = 1_000;
const CIRCUMFERENCE = 2 * Math.PI * 9;

/** Longest remaining time that was seen of each code of this visit, in ms. */
const lifetimes = new Map<string, number>();
onSessionEnd(() => lifetimes.clear());

const msLeft = (until: string): number => Math.max(0, Date.parse(until) - serverNow());

/** Remaining share of a code's lifetime as a ring. The time is beside it as text. */
export function CountdownRing({ code: { qrcodeId, expireIn } }: { code: LiveQrCode }) {
  const [left, setLeft] = useState(() => msLeft(expireIn));
  useEffect(() => {
    const timer = setInterval(() => setLeft(msLeft(expireIn)), SECOND_MS);
    return () => clearInterval(timer);
  }, [expireIn]);
  const lifetime = Math.max(left, lifetimes.get(qrcodeId) ?? LIFETIME_MS);
  useEffect(() => {
    lifetimes.set(qrcodeId, lifetime);
  }, [qrcodeId, lifetime]);
  return (
    <svg viewBox="0 0 24 24" className="size-6 -rotate-90 text-amber" fill="none" aria-hidden="true" focusable="false">
      <circle cx="12" cy="12" r="9" stroke="currentColor" strokeOpacity=".25" strokeWidth="4" />
      <circle
        cx="12"
        cy="12"
        r="9"
        stroke="currentColor"
        strokeWidth="4"
        strokeDasharray={CIRCUMFERENCE}
        strokeDashoffset={CIRCUMFERENCE * (1 - left / lifetime)}
      />
    </svg>
  );
}
