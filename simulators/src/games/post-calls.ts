import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type Answer, unreadable } from '../control/serve.ts';
import { parseMoney } from '../money.ts';
import { type Fields, fieldsOf, type Hall } from './hall.ts';

/** A call as it came. `text`: the bytes of a JSON body, for who must verify a signature over them. */
export type Asked = { fields: Fields; hall: Hall; request: FastifyRequest; text: string };

export type PostCall = {
  /** Its name in the log and for faults. */
  call: string;
  path: string;
  act: (asked: Asked) => Answer;
};

/**
 * The calls of a protocol whose calls are all `POST` with flat fields, as JSON or as a form.
 * @param rules.guard who is not allowed to ask: answers the refusal
 * @param rules.about the fields that say what a call is about, the first one that is there
 */
export function postCalls(
  app: FastifyInstance,
  hall: Hall,
  rules: {
    calls: readonly PostCall[];
    guard: (asked: Asked) => Answer | undefined;
    malformed: () => Answer;
    about: readonly string[];
  },
): void {
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, text, parsed) => parsed(null, text));
  for (const { call, path, act } of rules.calls) {
    app.post(`/games/${hall.provider}${path}`, { errorHandler: unreadable(rules.malformed) }, (request, reply) => {
      const text = typeof request.body === 'string' ? request.body : '';
      const fields = fieldsOf(typeof request.body === 'string' ? parsedOr(text) : request.body);
      const asked = { fields, hall, request, text };
      const about = rules.about.map((name) => fields[name]).find((value) => value !== undefined);
      return hall.serve(reply, {
        call,
        key: about?.slice(0, 50) ?? null,
        act: () => rules.guard(asked) ?? act(asked),
      });
    });
  }
}

function parsedOr(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

const NAME = /^[A-Za-z0-9]{1,16}$/;
const REFERENCE = /^[A-Za-z0-9_-]{1,50}$/;

/** Whether something can be a username or a password. */
export const isName = (text: string | undefined): text is string => text !== undefined && NAME.test(text);

export const isReference = (text: string | undefined): text is string => text !== undefined && REFERENCE.test(text);

/** Satang of an amount to move; undefined when it is none, or nothing at all. */
export function amountOf(text: string | undefined): number | undefined {
  const amount = parseMoney(text);
  return amount === 0 ? undefined : amount;
}
