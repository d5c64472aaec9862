import { useCallback, useRef } from 'react';
import { ApiFailure } from './failure.ts';

/** Ends the life of a key, or not, by how the command that used it went. */
export type IdempotencyKey = {
  /**
   * The key of the command under way; the same until it has been answered. A command with another input is another
   * command: it gets a key of its own.
   */
  current: (input?: unknown) => string;
  /** Call with the failure (or nothing on success). A command without an answer keeps its key for the next try. */
  settle: (failure?: unknown) => void;
};

/** Whether a failure leaves open what the server did. A refusal with a code of its own (even a 502) is an answer. */
export const isUndecided = (failure: unknown): boolean =>
  failure instanceof ApiFailure && (failure.isUnknown || failure.message === 'INTERNAL_SERVER_ERROR');

/** 128 random bits as text. (`crypto.randomUUID` is missing where a page came over plain http.) */
const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');

/**
 * One key per money command: kept across retries of a command whose fate is unknown, so that it happens once; renewed
 * when the server has answered.
 */
export function useIdempotencyKey(): IdempotencyKey {
  const held = useRef<{ key: string; input: string }>(undefined);
  const current = useCallback((input?: unknown) => {
    const text = JSON.stringify(input ?? null);
    if (held.current?.input !== text) held.current = { key: newKey(), input: text };
    return held.current.key;
  }, []);
  const settle = useCallback((failure?: unknown) => {
    if (!isUndecided(failure)) held.current = undefined;
  }, []);
  return { current, settle };
}
