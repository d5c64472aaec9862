import { useCallback, useRef } from 'react';
import { randomId } from '../random-id.ts';
import { ApiFailure } from '../errors.ts';

/** Ends the life of a key, or not, by how the command that used it went. */
export type IdempotencyKey = {
  /**
   * The key of the command under way; the same until it has been answered. A command with another input is another
   * command: it gets a key of its own.
   */
  current: (input?: unknown) => string;
  /**
   * Call with the failure (or nothing on success). A command without an answer keeps its key for the next try.
   * @returns whether it is left open what the server did: also when this try never left, but an earlier one had no answer
   */
  settle: (failure?: unknown) => boolean;
};

/**
 * Whether a failure leaves open what the server did. A refusal with a code of its own (even a 502) is an answer; that it is
 * too busy (503) is none: what was decided before may still be carried out.
 */
export const isUndecided = (failure: unknown): boolean =>
  failure instanceof ApiFailure &&
  (failure.isUnknown || failure.message === 'INTERNAL_SERVER_ERROR' || isBusy(failure));

/** Whether it never left, for want of a line. */
export const wasNotSent = (failure: unknown): boolean => failure instanceof ApiFailure && failure.isUnsent;

const isBusy = ({ status, message }: ApiFailure): boolean => status === 503 && message === 'REQUEST_LIMIT';

/**
 * One key per money command: kept across retries of a command whose fate is unknown, so that it happens once; renewed
 * when the server has answered.
 */
export function useIdempotencyKey(): IdempotencyKey {
  // `isAgain`: an earlier try with it has not been answered.
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
