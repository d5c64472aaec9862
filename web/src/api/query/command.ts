import { useCallback, useRef } from 'react';
import { randomId } from '../random-id.ts';
import { isUndecided, wasNotSent } from '../errors.ts';

/** Idempotency key of a command, renewed once its outcome is known. */
export type IdempotencyKey = {
  /** Key of the current command, stable until a reply. Another input is another command with its own key. */
  current: (input?: unknown) => string;
  /**
   * Call with the failure, or without arguments after success. A command without a reply keeps its key for the next
   * attempt.
   * @returns whether the outcome is still unknown: also when this attempt was not sent but an earlier one had no reply
   */
  settle: (failure?: unknown) => boolean;
};

/** One key per money command: kept across retries while the outcome is unknown, renewed after a reply. */
export function useIdempotencyKey(): IdempotencyKey {
  // `isAgain`: an earlier attempt with this key had no reply.
  const held = useRef<{ key: string; input: string; isAgain: boolean }>(undefined);
  const current = useCallback((input?: unknown) => {
    const text = JSON.stringify(input ?? null);
    const isAgain = held.current?.input === text;
    held.current = { key: (isAgain && held.current?.key) || randomId(), input: text, isAgain };
    return held.current.key;
  }, []);
  const settle = useCallback((failure?: unknown) => {
    const isOpen = isUndecided(failure) || (wasNotSent(failure) && held.current?.isAgain === true);
    if (!isOpen) held.current = undefined;
    return isOpen;
  }, []);
  return { current, settle };
}
