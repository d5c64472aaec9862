import { useCallback, useEffect, useState } from 'react';
import { fileAddress } from './web-address.ts';

/** `asking`: it didn't come, and another address is being asked for. `failed`: that one didn't help either. */
type Outcome = { address: string; step: 'asking' | 'failed' };

/**
 * Where a file is, and what to do when it doesn't come: addresses of files run out, so another one is asked for, once.
 * A later press requests it again.
 * @param renew asks for the message anew; whatever it finds comes as `url`
 */
export function useMediaAddress(url: string, renew: () => Promise<unknown>) {
  const [outcome, setOutcome] = useState<Outcome>();
  /** Counts what was pressed, so that the same address is loaded again. */
  const [attempt, setAttempt] = useState(0);
  const address = fileAddress(url);
  const step = outcome?.address === url ? outcome.step : undefined;
  const ask = async (): Promise<void> => {
    setOutcome({ address: url, step: 'asking' });
    // When nothing new came, what is here has failed.
    await renew().catch(() => undefined);
    setOutcome((before) => (before?.address === url ? { address: url, step: 'failed' } : before));
  };
  const hasFailed = step === 'failed';
  const again = useCallback((): void => {
    setOutcome(undefined);
    setAttempt((count) => count + 1);
  }, []);
  // What could not come without a line comes with it.
  useEffect(() => {
    if (!hasFailed) return undefined;
    addEventListener('online', again);
    return () => removeEventListener('online', again);
  }, [hasFailed, again]);
  return { address, attempt, hasFailed, onError: () => void (step === undefined && ask()), again };
}
