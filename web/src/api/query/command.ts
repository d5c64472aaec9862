import { useEffect, useLayoutEffect, useState } from 'react';
import { randomId } from '../call.ts';
import { isUndecided, wasNotSent } from '../errors.ts';
import { onMemberEvent } from './member-events.ts';
import { refetchInOtherTabs } from './other-tabs.ts';
import { invalidate, invalidateAndWait } from './query.ts';

/** State of a command. `undecided`: no reply, so it may have been executed; a retry executes it at most once. */
export type CommandState<I, R> =
  | { status: 'idle' }
  | { status: 'sending'; input: I }
  /** Accepted, outcome pending. */
  | { status: 'processing'; input: I; reply: R; reference: string }
  | { status: 'done'; input: I; reply: R }
  /** Refused: nothing happened. */
  | { status: 'failed'; input: I; failure: unknown }
  | { status: 'undecided'; input: I; failure: unknown };

type Result<I, R> = Exclude<CommandState<I, R>, { status: 'idle' | 'sending' }>;

type Attempt = {
  /** A background repetition. */
  quiet: boolean;
  /** Aborts when the command is aborted. */
  signal: AbortSignal;
};

export type CommandOptions<I, R> = {
  /** @param attempt `key`: the idempotency key */
  send: (input: I, attempt: Attempt & { key: string }) => Promise<R>;
  /** Inputs with the same identity are the same command and share a key. Default: the input as JSON. */
  identity?: (input: I) => string;
  /**
   * Whether executing the input twice does no harm. After `reset` its key is not kept: the reply to an earlier command
   * would pass for the outcome of a later one.
   */
  isRepeatable?: (input: I) => boolean;
  /** Query scopes that may have changed after any result. */
  invalidates: readonly string[];
  /** Keeps `sending` until these queries are fresh, at most two seconds. */
  waitForRefetch?: boolean;
  /** @returns the reference to follow while the outcome is pending; undefined if the reply is the outcome */
  follow?: (reply: R) => string | undefined;
  /** Intervals of the repetitions in ms; the last one repeats. */
  followEveryMs?: readonly number[];
  /** Whether the refusal of a repetition is the outcome; otherwise the repetitions continue. Default: every refusal. */
  isOutcome?: (failure: unknown) => boolean;
  /** A success event is the outcome: the state becomes `idle` without another request or result. */
  endsOnSuccessEvent?: boolean;
  /**
   * Called with each result as soon as it arrives, also after unmount but not after `abort`.
   * @param isShown false after unmount or `reset`
   */
  onResult?: (result: Result<I, R>, isShown: boolean) => void;
};

const FOLLOW_EVERY_MS: readonly number[] = [2_000, 4_000, 8_000, 15_000, 30_000];

/** Sends requests of a command; those without an outcome keep its key. */
function createRequest<I, R>(optionsOf: () => CommandOptions<I, R>) {
  let held: { key: string; identity: string } | undefined;
  const request = async (input: I, attempt: Attempt): Promise<Result<I, R>> => {
    const { send, follow, isOutcome = () => true, identity: identityOf = JSON.stringify } = optionsOf();
    const identity = identityOf(input);
    // An earlier attempt with this key had no outcome.
    const isAgain = held?.identity === identity;
    const used = held && isAgain ? held : { key: randomId(), identity };
    held = used;
    const release = (): void => {
      if (held === used) held = undefined;
    };
    try {
      const reply = await send(input, { ...attempt, key: used.key });
      const reference = follow?.(reply);
      if (reference !== undefined) return { status: 'processing', input, reply, reference };
      release();
      return { status: 'done', input, reply };
    } catch (failure) {
      const hasOutcome = !attempt.signal.aborted && (!attempt.quiet || isOutcome(failure));
      if (!hasOutcome || isUndecided(failure) || (isAgain && wasNotSent(failure)))
        return { status: 'undecided', input, failure };
      release();
      return { status: 'failed', input, failure };
    }
  };
  const releaseKey = (): void => {
    held = undefined;
  };
  return { request, releaseKey };
}

type Following<S> = {
  repeat: () => Promise<S>;
  onOutcome: (outcome: S) => void;
  /** Ends the repetitions at a success event. */
  onSuccessEvent: (() => void) | undefined;
  onEvent: typeof onMemberEvent;
};

/**
 * Repeats a pending command until its outcome, one request at a time: at intervals, and immediately after an event. Stops
 * at the outcome, which releases the key: a request with another key would be another command.
 * @returns stop function
 */
function followOutcome<S extends { status: string }>(
  reference: string,
  everyMs: readonly number[],
  { repeat, onOutcome, onSuccessEvent, onEvent }: Following<S>,
): () => void {
  let attempts = 0;
  let isPolling = false;
  let isPollRequested = false;
  let isStopped = false;
  const delayMs = (): number => everyMs[Math.min(attempts, everyMs.length - 1)] ?? 0;
  const poll = async (): Promise<void> => {
    clearTimeout(timer);
    if (isStopped) return;
    isPollRequested = isPolling;
    if (isPolling) return;
    isPolling = true;
    const next = await repeat();
    isPolling = false;
    if (isStopped) return;
    if (next.status !== 'processing' && next.status !== 'undecided') {
      stop();
      onOutcome(next);
    } else if (isPollRequested) void poll();
    else {
      attempts++;
      timer = setTimeout(() => void poll(), delayMs());
    }
  };
  let timer = setTimeout(() => void poll(), delayMs());
  const unsubscribe = onEvent((event) => {
    if (event.reference !== reference || event.state === 'PROCESSING') return;
    if (event.state === 'SUCCESS' && onSuccessEvent) {
      stop();
      onSuccessEvent();
    } else void poll();
  });
  const stop = (): void => {
    isStopped = true;
    clearTimeout(timer);
    unsubscribe();
  };
  return stop;
}

const isRepeatable = <I, R>(state: CommandState<I, R>, options: CommandOptions<I, R>): boolean =>
  'input' in state && options.isRepeatable?.(state.input) === true;

/** Refetches what a command may have changed, and the open items, also in other tabs. @param waits for this tab */
async function refetchChanged(scopes: readonly string[], waits = false): Promise<void> {
  refetchInOtherTabs(...scopes);
  void invalidate('pending');
  const refetched = (waits ? invalidateAndWait : invalidate)(...scopes);
  if (waits) await refetched;
}

/** The state machine of {@link useCommand}, without React. @param show displays a state */
export function createCommand<I, R>(
  initial: CommandOptions<I, R>,
  show: (state: CommandState<I, R>) => void,
  onEvent = onMemberEvent,
) {
  let options = initial;
  let state: CommandState<I, R> = { status: 'idle' };
  let sending: AbortController | undefined;
  let stopFollowing: (() => void) | undefined;
  /** The displayed run. Results of others are not displayed. */
  let run: AbortController | undefined;
  const { request, releaseKey } = createRequest(() => options);

  const change = (next: CommandState<I, R>): void => {
    state = next;
    show(next);
  };

  /** Stops following and displaying results. A request in flight is not aborted. */
  const stop = (): void => {
    run = undefined;
    stopFollowing?.();
  };

  const toIdle = (keepsKey: boolean): void => {
    stop();
    if (!keepsKey) releaseKey();
    change({ status: 'idle' });
  };

  /** Displays a result unless `thisRun` was stopped. */
  const settle = async (result: Result<I, R>, thisRun: AbortController): Promise<void> => {
    const { invalidates, waitForRefetch, onResult, followEveryMs = FOLLOW_EVERY_MS, endsOnSuccessEvent } = options;
    if (!thisRun.signal.aborted) onResult?.(result, thisRun === run);
    if (waitForRefetch) await refetchChanged(invalidates, true);
    else void refetchChanged(invalidates);
    if (thisRun !== run) return;
    change(result);
    if (result.status !== 'processing') return;
    stopFollowing = followOutcome(result.reference, followEveryMs, {
      repeat: () => request(result.input, { quiet: true, signal: thisRun.signal }),
      onOutcome: (outcome) => void settle(outcome, thisRun),
      onSuccessEvent: endsOnSuccessEvent ? () => toIdle(false) : undefined,
      onEvent,
    });
  };

  /** Sends a command; ignored while a request is in flight. @returns the result */
  const send = async (input: I): Promise<CommandState<I, R>> => {
    if (sending && !sending.signal.aborted) return state;
    stop();
    const thisRun = new AbortController();
    run = thisRun;
    sending = thisRun;
    change({ status: 'sending', input });
    try {
      const result = await request(input, { quiet: false, signal: thisRun.signal });
      await settle(result, thisRun);
      return result;
    } finally {
      if (sending === thisRun) sending = undefined;
    }
  };

  return {
    send,
    stop,
    update: (next: CommandOptions<I, R>): void => {
      options = next;
    },
    /** Sends the failed or undecided command again. */
    retry: (): void => {
      if (state.status === 'failed' || state.status === 'undecided') void send(state.input);
    },
    reset: () => toIdle(!isRepeatable(state, options)),
    /** Aborts the request in flight without a result and keeps its key; another command may be sent immediately. */
    abort: (): void => {
      sending?.abort();
      toIdle(true);
    },
  };
}

/**
 * A command that must be executed at most once: one request in flight, and one idempotency key until a reply arrives, so
 * that a retry or a second press replays it. Unmount and `reset` stop following the outcome; only `abort` stops the
 * request.
 */
export function useCommand<I, R>(options: CommandOptions<I, R>) {
  const [state, setState] = useState<CommandState<I, R>>({ status: 'idle' });
  const [command] = useState(() => createCommand(options, setState));
  useLayoutEffect(() => command.update(options));
  useEffect(() => command.stop, [command]);
  const { send, retry, reset, abort } = command;
  return { state, send, retry, reset, abort, isBusy: state.status === 'sending' };
}
