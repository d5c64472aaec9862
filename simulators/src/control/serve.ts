import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '../refusal.ts';
import type { CallLog } from './call-log.ts';
import type { CallFault, Faults } from './faults.ts';

const SLOW_DEFAULT_MS = 5_000;
const SILENCE_MAX_MS = 120_000;
const BROKEN_PAGE = '<html><head><title>Service</title></head><body><h1>Please wait</h1><p>Your request is being pro';

export type Answer = { status: number; body: unknown };

/** What a served call is, what it does, and how its protocol says no. */
export type ServedCall = {
  target: string;
  call: string;
  key: string | null;
  act: () => Answer | Promise<Answer>;
  decline: () => Answer;
  /** How a call that takes a reference says that it was used. */
  duplicate?: () => Answer;
  /** How a call that asks about a reference says that there is nothing. */
  absent?: () => Answer;
};

/** Answers protocol calls, misbehaving as ordered and noting every call. */
export class Server {
  readonly #faults: Faults;
  readonly #calls: CallLog;

  constructor(faults: Faults, calls: CallLog) {
    this.#faults = faults;
    this.#calls = calls;
  }

  /** Answers one call, or leaves it without an answer when a timeout is ordered. */
  async serve(reply: FastifyReply, served: ServedCall): Promise<FastifyReply> {
    const startedAt = Date.now();
    const fault = this.#faults.takeForCall(served.target, served.call);
    const answer = await this.#answer(served, fault);
    this.#calls.add(
      {
        target: served.target,
        call: served.call,
        key: served.key,
        status: answer?.status ?? 0,
        fault: fault?.fault ?? null,
        ms: Date.now() - startedAt,
      },
      startedAt,
    );
    return answer ? send(reply, answer) : staySilent(reply);
  }

  async #answer(served: ServedCall, fault: CallFault | undefined): Promise<Answer | undefined> {
    switch (fault?.fault) {
      case 'decline':
        return served.decline();
      case 'timeout-lost':
        return undefined;
      case 'timeout-applied':
        await attempt(served.act);
        return undefined;
      case 'garbage':
        if (fault.applied !== false) await attempt(served.act);
        return { status: 200, body: BROKEN_PAGE };
      case 'error-500':
        if (fault.applied === true) await attempt(served.act);
        return { status: 500, body: 'Internal Server Error' };
      case 'duplicate-reference':
        if (fault.applied !== false) await attempt(served.act);
        return denial(served, 'duplicate');
      case 'absent':
        return denial(served, 'absent');
      case 'slow':
        await sleep(fault.delayMs ?? SLOW_DEFAULT_MS, undefined, { ref: false });
        return attempt(served.act);
      case undefined:
        return attempt(served.act);
    }
  }
}

/** An error handler that answers bodies which can't be parsed in the protocol's own words; other errors go on. */
export function unreadable(refusal: () => Answer) {
  return (error: FastifyError, _request: FastifyRequest, reply: FastifyReply): void => {
    if ((error.statusCode ?? 500) >= 500) throw error;
    send(reply, refusal());
  };
}

/** What a protocol says of a reference; one without references, which no such fault can name, refuses. */
function denial(served: ServedCall, of: 'duplicate' | 'absent'): Answer {
  return (served[of] ?? served.decline)();
}

/** A refusal inside a call is its answer, also when nobody will see it. */
async function attempt(act: ServedCall['act']): Promise<Answer> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { status: error.status, body: { error: error.code, message: error.message } };
  }
}

function send(reply: FastifyReply, answer: Answer): FastifyReply {
  const page = typeof answer.body === 'string';
  return reply
    .code(answer.status)
    .type(page ? 'text/html; charset=utf-8' : 'application/json; charset=utf-8')
    .send(answer.body);
}

/** Keeps the connection open without a word until the caller gives up. */
function staySilent(reply: FastifyReply): FastifyReply {
  reply.hijack();
  const timer = setTimeout(() => reply.raw.destroy(), SILENCE_MAX_MS);
  timer.unref();
  reply.raw.once('close', () => clearTimeout(timer));
  return reply;
}
