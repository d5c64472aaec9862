import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '../refusal.ts';
import type { CallLog } from './call-log.ts';
import type { CallFault, Faults } from './faults.ts';

const SLOW_DEFAULT_MS = 5_000;
const SILENCE_MAX_MS = 120_000;
const BROKEN_PAGE = '<html><head><title>Service</title></head><body><h1>Please wait</h1><p>Your request is being pro';

export type Answer = { status: number; body: unknown };

/** Protocol replies that only some calls have; other calls reply with a refusal. */
export type Denials = {
  /** "That reference was used": of calls that take a reference. */
  duplicate?: () => Answer;
  /** "There is no such transaction": of calls that inquire about a reference. */
  absent?: () => Answer;
  /** "There is no such player": of the same calls. */
  unknownPlayer?: () => Answer;
  /** A reply with a code that the protocol does not document. */
  unlisted?: () => Answer;
};

const DENIAL_OF = {
  'duplicate-reference': 'duplicate',
  absent: 'absent',
  'unknown-player': 'unknownPlayer',
  'unlisted-code': 'unlisted',
} as const satisfies Partial<Record<CallFault['fault'], keyof Denials>>;

/** A served call: its name, its implementation, and the refusals of its protocol. */
export type ServedCall = {
  target: string;
  call: string;
  key: string | null;
  handle: () => Answer | Promise<Answer>;
  decline: () => Answer;
  denials?: Denials;
};

/** Answers protocol calls, applies ordered faults, and logs every call. */
export class Server {
  readonly #faults: Faults;
  readonly #calls: CallLog;

  constructor(faults: Faults, calls: CallLog) {
    this.#faults = faults;
    this.#calls = calls;
  }

  /** Answers one call, or leaves it unanswered for an ordered timeout. */
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
    return answer ? sendReply(reply, answer) : staySilent(reply);
  }

  async #answer(served: ServedCall, fault: CallFault | undefined): Promise<Answer | undefined> {
    if (!fault) return attempt(served.handle);
    switch (fault.fault) {
      case 'decline':
        return served.decline();
      case 'timeout-lost':
        return undefined;
      case 'timeout-applied':
        await attempt(served.handle);
        return undefined;
      case 'garbage':
        if (fault.applied !== false) await attempt(served.handle);
        return { status: 200, body: BROKEN_PAGE };
      case 'error-500':
        if (fault.applied === true) await attempt(served.handle);
        return { status: 500, body: 'Internal Server Error' };
      case 'slow':
        await sleep(fault.delayMs ?? SLOW_DEFAULT_MS, undefined, { ref: false });
        return attempt(served.handle);
      case 'duplicate-reference':
      case 'absent':
      case 'unknown-player':
      case 'unlisted-code':
        if (fault.applied !== false) await attempt(served.handle);
        return deny(served, DENIAL_OF[fault.fault]);
    }
  }
}

/** An error handler that answers malformed bodies in the protocol's format, and passes other errors on. */
export function unreadable(refusal: () => Answer) {
  return (error: FastifyError, _request: FastifyRequest, reply: FastifyReply): void => {
    if ((error.statusCode ?? 500) >= 500) throw error;
    sendReply(reply, refusal());
  };
}

const deny = ({ denials, decline }: ServedCall, denial: keyof Denials): Answer => (denials?.[denial] ?? decline)();

/** Converts a thrown refusal into the reply of the call, even when the reply is withheld. */
async function attempt(handle: ServedCall['handle']): Promise<Answer> {
  try {
    return await handle();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { status: error.status, body: { error: error.code, message: error.message } };
  }
}

function sendReply(reply: FastifyReply, answer: Answer): FastifyReply {
  const page = typeof answer.body === 'string';
  return reply
    .code(answer.status)
    .type(page ? 'text/html; charset=utf-8' : 'application/json; charset=utf-8')
    .send(answer.body);
}

/** Keeps the connection open without a reply until the caller times out. */
function staySilent(reply: FastifyReply): FastifyReply {
  reply.hijack();
  const timer = setTimeout(() => reply.raw.destroy(), SILENCE_MAX_MS);
  timer.unref();
  reply.raw.once('close', () => clearTimeout(timer));
  return reply;
}
