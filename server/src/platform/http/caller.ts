import type { Endpoint } from '@krapao/contract/endpoint';
import { GUEST_ID } from '@krapao/contract/events';
import { cookieValue, type Language, LANGUAGE_COOKIE, languages } from '@krapao/contract/languages';
import type { Currency } from '@krapao/contract/money';
import type { FastifyRequest } from 'fastify';
import type { Variant } from '../config.ts';

/** The calling member, from the session. Handlers read all other data of the member themselves. */
export type Member = {
  id: string;
  sessionId: string;
  currency: Currency;
  /** Language of the session's last call; null if no call named one. */
  language: Language | null;
};

/**
 * Finds the member of a request's bearer token; throws a Refusal (UNAUTHORIZED, invalid-token …) when there is none.
 */
export type Authenticate = (request: FastifyRequest) => Promise<Member>;

/** Runs before every API call; throws a Refusal to stop it. */
export type Guard = (endpoint: Endpoint, request: FastifyRequest) => Promise<void>;

/** A pair of functions: one stores a value for a request, one returns it. */
export function requestAttribute<Value extends object>(): [
  remember: (request: FastifyRequest, value: Value) => void,
  recall: (request: FastifyRequest) => Value,
] {
  const valuesByRequest = new WeakMap<FastifyRequest, Value>();
  return [
    (request, value) => void valuesByRequest.set(request, value),
    (request) => {
      const value = valuesByRequest.get(request);
      if (!value) throw new Error('the caller is read on a request that was not authenticated');
      return value;
    },
  ];
}

/** Stores and returns the member of a request. */
export const [rememberMember, memberOf] = requestAttribute<Member>();

/** Token of an `Authorization: Bearer …` header; undefined without the header, '' for another scheme. */
export const bearerToken = (request: FastifyRequest): string | undefined => tokenOf(request.headers.authorization);

/** Token of the value of an Authorization header, as {@link bearerToken}. */
export function tokenOf(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  return /^Bearer ([\w-]{1,512})$/i.exec(header)?.[1] ?? '';
}

/** A chat customer: a member, or a visitor with a valid guest-id and secret. */
export type Customer =
  | { kind: 'member'; id: string; member: Member }
  /** `id`: the guest-id. */
  | { kind: 'visitor'; id: string };

/** A caller who sends a guest-id without its secret; gets no access to the data of the visitor. */
export type NewVisitor = { kind: 'new-visitor'; id: string };

/** A caller without an Authorization header; the body may name a guest-id. */
export type Anonymous = { kind: 'anonymous' };

/** The caller of an endpoint with customer access. */
export type CustomerReader<E extends Endpoint> =
  | Customer
  | (E extends { acceptsNewVisitors: true } ? NewVisitor : never)
  | (E extends { acceptsAnonymous: true } ? Anonymous : never);

/** Credentials of a visitor: `Guest ID.SECRET`. The secret is '' when none was sent. */
export type VisitorCredentials = { guestId: string; secret: string };

/** Finds the visitor of a guest-id and its secret; throws a Refusal (KEY_INVALID …) when they don't match. */
export type AuthenticateVisitor = (pass: VisitorCredentials, request: FastifyRequest) => Promise<Customer>;

/** Stores and returns the customer of a request. */
export const [rememberCustomer, customerOf] = requestAttribute<Customer | NewVisitor | Anonymous>();

const VISITOR_SCHEME = /^guest(?: |$)/i;
const VISITOR_CREDENTIALS = /^guest ([0-9a-f-]{32,36})(?:\.([\w-]{1,128}))?$/i;

/**
 * Credentials of an `Authorization: Guest …` header; undefined without such a header, 'malformed' for an impossible
 * format.
 */
export function readVisitorCredentials(request: FastifyRequest): VisitorCredentials | 'malformed' | undefined {
  const header = request.headers.authorization;
  if (header === undefined || !VISITOR_SCHEME.test(header)) return undefined;
  const [, guestId, secret = ''] = VISITOR_CREDENTIALS.exec(header) ?? [];
  return guestId === undefined || !GUEST_ID.test(guestId) ? 'malformed' : { guestId, secret };
}

const LANGUAGE_COOKIE_VALUE = new RegExp(`(?:^|;\\s*)${LANGUAGE_COOKIE}=([A-Za-z]{2})(?:;|$)`);

/** Language in the app's cookie. */
export function namedLanguage(cookieHeader: string | undefined): Language | undefined {
  const value = LANGUAGE_COOKIE_VALUE.exec(cookieHeader ?? '')?.[1]?.toUpperCase();
  return languages.find((language) => cookieValue[language] === value);
}

export const firstLanguage = (variant: Variant): Language => (variant === 'lao' ? 'la' : 'th');

/** Language of a caller: from the app's cookie, else the first language of the variant. */
export const requestLanguage = (cookieHeader: string | undefined, variant: Variant): Language =>
  namedLanguage(cookieHeader) ?? firstLanguage(variant);
