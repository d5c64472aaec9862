import type { Endpoint } from '@krapao/contract/endpoint';
import { GUEST_ID } from '@krapao/contract/events';
import type { FastifyRequest } from 'fastify';
import { type Member, requestAttribute } from './member.ts';

/** A customer of the chat: a member, or a visitor who has shown their guest-id and its secret. */
export type Customer =
  | { kind: 'member'; id: string; member: Member }
  /** `id`: the guest-id. */
  | { kind: 'visitor'; id: string };

/** A caller who shows a guest-id without its secret: has no access to its data. */
export type NewVisitor = { kind: 'new-visitor'; id: string };

/** A caller without an Authorization header; the body may name a guest-id. */
export type Anonymous = { kind: 'anonymous' };

/** The caller of an endpoint with customer access. */
export type CustomerOf<E extends Endpoint> =
  | Customer
  | (E extends { acceptsNewVisitors: true } ? NewVisitor : never)
  | (E extends { acceptsAnonymous: true } ? Anonymous : never);

/** The credentials of a visitor: `Guest ID.SECRET`. The secret is '' when none was sent. */
export type GuestPass = { guestId: string; secret: string };

/** Finds the visitor of a guest-id and its secret; throws a Refusal (KEY_INVALID …) when they don't fit. */
export type AuthenticateVisitor = (pass: GuestPass, request: FastifyRequest) => Promise<Customer>;

/** Stores and returns the customer of a request. */
export const [rememberCustomer, customerOf] = requestAttribute<Customer | NewVisitor | Anonymous>();

const SCHEME = /^guest(?: |$)/i;
const PASS = /^guest ([0-9a-f-]{32,36})(?:\.([\w-]{1,128}))?$/i;

/**
 * What an `Authorization: Guest …` header shows: undefined without such a header, 'malformed' when no visitor could have
 * sent it.
 */
export function guestPassOf(request: FastifyRequest): GuestPass | 'malformed' | undefined {
  const header = request.headers.authorization;
  if (header === undefined || !SCHEME.test(header)) return undefined;
  const [, guestId, secret = ''] = PASS.exec(header) ?? [];
  return guestId === undefined || !GUEST_ID.test(guestId) ? 'malformed' : { guestId, secret };
}
