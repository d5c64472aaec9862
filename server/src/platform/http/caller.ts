import type { Endpoint } from '@krapao/contract/endpoint';
import type { Currency } from '@krapao/contract/money';
import type { FastifyRequest } from 'fastify';
import { GUEST_ID } from '@krapao/contract/events';
import { cookieValue, type Language, LANGUAGE_COOKIE, languages } from '@krapao/contract/languages';
import type { Variant } from '../config.ts';

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
export function bearerToken(request: FastifyRequest): string | undefined {
  const header = request.headers.authorization;
  if (header === undefined) return undefined;
  return /^Bearer ([\w-]{1,512})$/i.exec(header)?.[1] ?? '';
}

/** A chat customer: a member, or a visitor with a valid guest-id and secret. */
export type Customer =
  | { kind: 'member'; id: string; member: Member }
  /** `id`: the guest-id. */
  | { kind: 'visitor'; id: string };

/** A caller who shows a guest-id without its secret: has no access to its data. */
export type NewVisitor = { kind: 'new-visitor'; id: string };

/** A caller without an Authorization header; the body may name a guest-id. */
export type Anonymous = { kind: 'anonymous' };

/** The caller of an endpoint with customer access. */
export type CustomerReader<E extends Endpoint> =
  | Customer
  | (E extends { acceptsNewVisitors: true } ? NewVisitor : never)
  | (E extends { acceptsAnonymous: true } ? Anonymous : never);

/** The credentials of a visitor: `Guest ID.SECRET`. The secret is '' when none was sent. */
export type GuestCredentials = { guestId: string; secret: string };

/** Finds the visitor of a guest-id and its secret; throws a Refusal (KEY_INVALID …) when they don't fit. */
export type AuthenticateVisitor = (pass: GuestCredentials, request: FastifyRequest) => Promise<Customer>;

/** Stores and returns the customer of a request. */
export const [rememberCustomer, customerOf] = requestAttribute<Customer | NewVisitor | Anonymous>();

const SCHEME = /^guest(?: |$)/i;
const PASS = /^guest ([0-9a-f-]{32,36})(?:\.([\w-]{1,128}))?$/i;

/**
 * What an `Authorization: Guest …` header shows: undefined without such a header, 'malformed' when no visitor could have
 * sent it.
 */
export function readGuestCredentials(request: FastifyRequest): GuestCredentials | 'malformed' | undefined {
  const header = request.headers.authorization;
  if (header === undefined || !SCHEME.test(header)) return undefined;
  const [, guestId, secret = ''] = PASS.exec(header) ?? [];
  return guestId === undefined || !GUEST_ID.test(guestId) ? 'malformed' : { guestId, secret };
}

const VALUE = new RegExp(`(?:^|;\\s*)${LANGUAGE_COOKIE}=([A-Za-z]{2})(?:;|$)`);

/** The language that a call is answered in: what the cookie that the app sets says, else the first one of the build. */
export function requestLanguage(cookieHeader: string | undefined, variant: Variant): Language {
  const value = VALUE.exec(cookieHeader ?? '')?.[1]?.toUpperCase();
  return languages.find((language) => cookieValue[language] === value) ?? (variant === 'lao' ? 'la' : 'th');
}
