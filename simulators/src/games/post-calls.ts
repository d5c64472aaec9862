import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type Answer, unreadable } from '../control/serve.ts';
import { parseMoney } from '../money.ts';
import { type Fields, fieldsOf, type GameServer } from './game-server.ts';

/** A received call. `text`: the exact JSON body, which a signature covers. */
export type ProviderRequest = { fields: Fields; gameServer: GameServer; request: FastifyRequest; text: string };

export type PostCall = {
  /** Name of the call in the log and for faults. */
  call: string;
  path: string;
  handle: (request: ProviderRequest) => Answer;
};

/**
 * Routes of a protocol whose calls are all `POST` with flat fields, as JSON or as a form.
 * @param rules.guard authenticates a call; returns the refusal of an unauthorised caller
 * @param rules.about fields that may name the subject of a call; the first present one is used
 */
export function postCalls(
  app: FastifyInstance,
  gameServer: GameServer,
  rules: {
    calls: readonly PostCall[];
    guard: (request: ProviderRequest) => Answer | undefined;
    malformed: () => Answer;
    about: readonly string[];
  },
): void {
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, text, parsed) => parsed(null, text));
  for (const { call, path, handle } of rules.calls) {
    app.post(
      `/games/${gameServer.provider}${path}`,
      { errorHandler: unreadable(rules.malformed) },
      (request, reply) => {
        const text = typeof request.body === 'string' ? request.body : '';
        const fields = fieldsOf(typeof request.body === 'string' ? parsedOr(text) : request.body);
        const callRequest = { fields, gameServer, request, text };
        const logKey = rules.about.map((name) => fields[name]).find((value) => value !== undefined);
        return gameServer.serve(reply, {
          call,
          key: logKey?.slice(0, 50) ?? null,
          handle: () => rules.guard(callRequest) ?? handle(callRequest),
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

const PLAYER_NAME = /^[A-Za-z0-9]{1,16}$/;
const TRANSFER_REFERENCE = /^[A-Za-z0-9_-]{1,50}$/;

/** Whether a value is a valid username or password. */
export const isName = (text: string | undefined): text is string => text !== undefined && PLAYER_NAME.test(text);

export const isReference = (text: string | undefined): text is string =>
  text !== undefined && TRANSFER_REFERENCE.test(text);

/** Parses an amount to move, in satang; undefined when it is invalid or zero. */
export function amountOf(text: string | undefined): number | undefined {
  const amount = parseMoney(text);
  return amount === 0 ? undefined : amount;
}
