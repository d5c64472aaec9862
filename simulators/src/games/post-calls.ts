import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type Answer, unreadable } from '../control/serve.ts';
import { parseMoney } from '../money.ts';
import { type Fields, fieldsOf, type GameServer } from './game-server.ts';

/** A received call. `text`: the exact JSON body, for verifying a signature over it. */
export type Asked = { fields: Fields; gameServer: GameServer; request: FastifyRequest; text: string };

export type PostCall = {
  /** Its name in the log and for faults. */
  call: string;
  path: string;
  act: (asked: Asked) => Answer;
};

/**
 * The calls of a protocol whose calls are all `POST` with flat fields, as JSON or as a form.
 * @param rules.guard authentication: returns the refusal of an unauthorised caller
 * @param rules.about the fields that name the subject of a call; the first present one is used
 */
export function postCalls(
  app: FastifyInstance,
  gameServer: GameServer,
  rules: {
    calls: readonly PostCall[];
    guard: (asked: Asked) => Answer | undefined;
    malformed: () => Answer;
    about: readonly string[];
  },
): void {
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, text, parsed) => parsed(null, text));
  for (const { call, path, act } of rules.calls) {
    app.post(
      `/games/${gameServer.provider}${path}`,
      { errorHandler: unreadable(rules.malformed) },
      (request, reply) => {
        const text = typeof request.body === 'string' ? request.body : '';
        const fields = fieldsOf(typeof request.body === 'string' ? parsedOr(text) : request.body);
        const asked = { fields, gameServer, request, text };
        const about = rules.about.map((name) => fields[name]).find((value) => value !== undefined);
        return gameServer.serve(reply, {
          call,
          key: about?.slice(0, 50) ?? null,
          act: () => rules.guard(asked) ?? act(asked),
        });
      },
    );
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

/** Whether a value can be a username or a password. */
export const isName = (text: string | undefined): text is string => text !== undefined && NAME.test(text);

export const isReference = (text: string | undefined): text is string => text !== undefined && REFERENCE.test(text);

/** An amount to move in satang; undefined when it is invalid or zero. */
export function amountOf(text: string | undefined): number | undefined {
  const amount = parseMoney(text);
  return amount === 0 ? undefined : amount;
}
