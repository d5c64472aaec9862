import { useEffect, useEffectEvent } from 'react';
import { onMemberEvent } from '../../api/member-events.ts';

/** Follows deposits that reach the wallet. @param onArrived gets the amount, as on the wire */
export function useArrival(onArrived: (amount: number) => void): void {
  const hear = useEffectEvent(onArrived);
  useEffect(
    () =>
      onMemberEvent((event) => {
        if (event.kind === 'deposit' && event.state === 'SUCCESS') hear(event.amount);
      }),
    [],
  );
}
