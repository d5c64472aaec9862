import type { Endpoint } from '@krapao/contract/endpoint';
import type { Currency } from '@krapao/contract/money';
import type { FastifyRequest } from 'fastify';

/** The calling member, from the session. Everything else about a member is read where it is needed. */
export type Member = {
  id: string;
  sessionId: string;
  currency: Currency;
};

/** Finds the member of a request's bearer; throws a Refusal (UNAUTHORIZED, invalid-token …) when there is none. */
export type Authenticate = (request: FastifyRequest) => Promise<Member>;

/** Runs before every API call; throws a Refusal to stop it. */
export type Guard = (endpoint: Endpoint, request: FastifyRequest) => Promise<void>;

/** Two functions: one stores the caller of a request, one returns it. */
export function requestAttribute<Value extends object>(): [
  remember: (request: FastifyRequest, who: Value) => void,
  recall: (request: FastifyRequest) => Value,
] {
  const known = new WeakMap<FastifyRequest, Value>();
  return [
    (request, who) => void known.set(request, who),
    (request) => {
      const who = known.get(request);
      if (!who) throw new Error('the caller is read on a request that was not authenticated');
      return who;
    },
  ];
}

/** Stores and returns the member of a request. */
export const [rememberMember, memberOf] = requestAttribute<Member>();

/** The token of an `Authorization: Bearer …` header: undefined without the header, '' when it is of another form. */
export function bearerOf(request: FastifyRequest): string | undefined {
  const header = request.headers.authorization;
  if (header === undefined) return undefined;
  return /^Bearer ([\w-]{1,512})$/i.exec(header)?.[1] ?? '';
}
