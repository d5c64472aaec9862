import type { Endpoint } from '@krapao/contract/endpoint';
import type { Currency } from '@krapao/contract/money';
import type { FastifyRequest } from 'fastify';

/** Who calls, as the session says. Everything else about a member is asked for where it is needed. */
export type Member = {
  id: string;
  sessionId: string;
  currency: Currency;
};

/** Finds the member of a request's bearer; throws a Refusal (UNAUTHORIZED, invalid-token …) when there is none. */
export type Authenticate = (request: FastifyRequest) => Promise<Member>;

/** Looks at every call of the API before anything else and throws a Refusal to stop it. */
export type Guard = (endpoint: Endpoint, request: FastifyRequest) => Promise<void>;

/** Two functions: keeps who a request was found to come from, and tells it. */
export function sideNote<Who extends object>(): [
  remember: (request: FastifyRequest, who: Who) => void,
  recall: (request: FastifyRequest) => Who,
] {
  const known = new WeakMap<FastifyRequest, Who>();
  return [
    (request, who) => void known.set(request, who),
    (request) => {
      const who = known.get(request);
      if (!who) throw new Error('somebody is asked for on a request that was not authenticated');
      return who;
    },
  ];
}

/** Keeps which member a request was found to come from; tells it. */
export const [rememberMember, memberOf] = sideNote<Member>();

/** The token of an `Authorization: Bearer …` header: undefined without the header, '' when it is of another form. */
export function bearerOf(request: FastifyRequest): string | undefined {
  const header = request.headers.authorization;
  if (header === undefined) return undefined;
  return /^Bearer ([\w-]{1,512})$/i.exec(header)?.[1] ?? '';
}
