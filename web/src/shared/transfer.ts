import { useCallback, useEffect, useRef, useState } from 'react';
import { call } from '../api/call.ts';
import { onMemberEvent } from '../api/query/member-events.ts';
import { invalidateAndWait } from '../api/query/query.ts';
import { useIdempotencyKey } from '../api/query/command.ts';

/**
 * Accounts (WALLET or a game's code) and an amount in wire format. `isAll`: the free wallet at the time of execution;
 * the amount is the displayed one, later the moved one.
 */
export type TransferInput = { from: string; to: string; amount: number; isAll?: boolean };

/** State of a transfer. `undecided`: no reply; a retry does not move the money twice. */
export type TransferProgress =
  | { step: 'idle' }
  | { step: 'sending'; input: TransferInput }
  | { step: 'processing'; input: TransferInput; reference: string }
  | { step: 'done'; input: TransferInput; reference: string }
  | { step: 'failed'; input: TransferInput; failure: unknown }
  | { step: 'undecided'; input: TransferInput; failure: unknown };

/** Polling intervals of the outcome in ms, with back-off. */
const ASK_AGAIN_MS = [2_000, 4_000, 8_000, 15_000, 30_000] as const;
const askAgainMs = (asked: number): number => ASK_AGAIN_MS[Math.min(asked, ASK_AGAIN_MS.length - 1)] ?? 30_000;

/** Sends the command. The key belongs to the input, not to later results. */
async function command(input: TransferInput, keyOf: (input: unknown) => string, quiet: boolean) {
  if (input.isAll) {
    const body = { to: input.to };
    const answer = await call('POST /api/wallet/transferAll', { body, idempotencyKey: keyOf(body), quiet });
    return { answer, moved: { ...input, amount: answer.amount } };
  }
  const body = { from: input.from, to: input.to, amount: input.amount };
  const answer = await call('POST /api/wallet/transfer', { body, idempotencyKey: keyOf(body), quiet });
  return { answer, moved: input };
}

/**
 * Polls the outcome of a transfer, one request at a time: at intervals, and immediately after an event. Stops after
 * calling `onOutcome` once: the outcome renews the key, and a request with another key would move money again.
 * @returns stop function
 */
function followOutcome(
  reference: string,
  ask: () => Promise<TransferProgress>,
  onOutcome: (outcome: TransferProgress) => Promise<void>,
): () => void {
  let asked = 0;
  let isAsking = false;
  let isWoken = false;
  let isOver = false;
  const again = async (): Promise<void> => {
    clearTimeout(timer);
    if (isOver) return;
    isWoken = isAsking;
    if (isAsking) return;
    isAsking = true;
    const next = await ask();
    isAsking = false;
    if (isOver) return;
    if (next.step !== 'processing' && next.step !== 'undecided') {
      isOver = true;
      return onOutcome(next);
    }
    if (isWoken) return again();
    timer = setTimeout(() => void again(), askAgainMs(++asked));
  };
  let timer = setTimeout(() => void again(), askAgainMs(asked));
  const stop = onMemberEvent((event) => {
    if (event.reference === reference && event.state !== 'PROCESSING') void again();
  });
  return () => {
    isOver = true;
    clearTimeout(timer);
    stop();
  };
}

/**
 * Transfers money and follows it to its outcome. While it is pending, the same command is repeated with the same key
 * (at intervals and after events); a repetition returns the outcome and moves nothing.
 */
export function useTransfer() {
  const [state, setState] = useState<TransferProgress>({ step: 'idle' });
  const { current: currentKey, settle: settleKey } = useIdempotencyKey();
  const run = useRef(0);

  const ask = useCallback(
    async (input: TransferInput, quiet: boolean): Promise<TransferProgress> => {
      try {
        const { answer, moved } = await command(input, currentKey, quiet);
        if (answer.status === 'PROCESSING') return { step: 'processing', input: moved, reference: answer.reference };
        settleKey();
        return { step: 'done', input: moved, reference: answer.reference };
      } catch (failure) {
        return { step: settleKey(failure) ? 'undecided' : 'failed', input, failure };
      }
    },
    [currentKey, settleKey],
  );

  const send = useCallback(
    async (input: TransferInput): Promise<TransferProgress> => {
      const thisRun = ++run.current;
      setState({ step: 'sending', input });
      const next = await ask(input, false);
      await invalidateAndWait('wallet', 'statement');
      if (thisRun === run.current) setState(next);
      return next;
    },
    [ask],
  );

  const reset = useCallback(() => {
    run.current++;
    setState({ step: 'idle' });
  }, []);

  const processing = state.step === 'processing' ? state : undefined;
  useEffect(() => {
    if (!processing) return;
    const thisRun = run.current;
    return followOutcome(
      processing.reference,
      () => ask(processing.input, true),
      async (outcome) => {
        await invalidateAndWait('wallet', 'statement');
        if (thisRun === run.current) setState(outcome);
      },
    );
  }, [processing, ask]);

  return { state, send, reset };
}
