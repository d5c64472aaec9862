import type { z } from 'zod';
import type { ErrorCode } from './errors.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/**
 * One API call as a value. The server parses requests and answers with it, the app's types derive from it, and the
 * OpenAPI document is generated from it.
 */
export type Endpoint = {
  method: Method;
  /** Path with `{name}` for each parameter, as OpenAPI writes it. */
  path: string;
  /**
   * `member`: needs a live session. `customer`: a live session (`Authorization: Bearer TOKEN`), or a visitor who shows
   * their guest-id and its secret (`Authorization: Guest ID.SECRET`): KEY_MISSING without either, KEY_INVALID for a
   * wrong secret and an unknown guest-id alike. `public`: anyone; a token that is sent is ignored.
   */
  access: 'public' | 'customer' | 'member';
  summary: string;
  params?: z.ZodObject;
  /** Parameters of the path that no log may show. */
  secretParams?: readonly string[];
  body?: z.ZodObject;
  /** Answers by HTTP status. Fields that the schema does not name are removed. */
  reply: Readonly<Record<number, z.ZodType>>;
  /** Codes that this call can fail with, in addition to those of every call (see {@link commonErrors}). */
  errors: readonly ErrorCode[];
  /** Codes that are also sent with another HTTP status than their usual one. */
  alsoSent?: Readonly<Record<number, readonly ErrorCode[]>>;
  /** The code for a body or parameter of the wrong shape. */
  malformed: ErrorCode;
  /**
   * A GET that changes state: it requires the header `X-Requested-With` and refuses cross-site and prefetching requests, because a
   * link could trigger it. Calls with a body need no marker: a JSON body and a bearer header require a preflight, which is refused.
   */
  changesState?: true;
  /**
   * Accepts a visitor who shows a guest-id without a secret (`Authorization: Guest ID`), because none has been issued
   * yet.
   */
  acceptsNewVisitors?: true;
  /** Accepts a visitor without an Authorization header; the body then names their guest-id. */
  acceptsAnonymous?: true;
  /** Reads the Idempotency-Key header: the same key with the same input is executed once. */
  idempotent?: true;
  /** Failures are results as well: `success: false, error: CODE, result: null` and `message`. */
  tellsResult?: true;
  /** Takes a file as multipart/form-data instead of JSON, and may take five minutes. */
  upload?: true;
};

/** Codes that any call can fail with. */
export const commonErrors = [
  'gone',
  'INTERNAL_SERVER_ERROR',
  'REQUEST_LIMIT',
  'KEY_MISSING',
  'KEY_INVALID',
  'NO_DATA',
] as const satisfies readonly ErrorCode[];

/** Additional codes of calls that need a session. */
export const memberErrors = [
  'UNAUTHORIZED',
  'invalid-token',
  'EXPIRED_AUTH_TOKEN',
  'INVALID_USER_1',
  'INVALID_USER_2',
  'INVALID_USER_4',
] as const satisfies readonly ErrorCode[];

/** Declares an endpoint and keeps its exact type. */
export const endpoint = <const E extends Endpoint>(declared: E): E => declared;

type Parsed<S> = S extends z.ZodType ? z.output<S> : undefined;
type Raw<S> = S extends z.ZodType ? z.input<S> : undefined;

/** Input of the server's handler. */
export type ParamsOf<E extends Endpoint> = Parsed<E['params']>;
export type BodyOf<E extends Endpoint> = Parsed<E['body']>;

/** Input that the app sends. */
export type RequestBodyOf<E extends Endpoint> = Raw<E['body']>;
export type RequestParamsOf<E extends Endpoint> = Raw<E['params']>;

/** The statuses and bodies that a handler may return. */
export type ReplyOf<E extends Endpoint> = {
  [S in keyof E['reply'] & number]: { status: S; body: z.input<E['reply'][S]> };
}[keyof E['reply'] & number];

/** The body that the app receives, for any of the declared statuses. */
export type ReplyBodyOf<E extends Endpoint> = {
  [S in keyof E['reply'] & number]: z.output<E['reply'][S]>;
}[keyof E['reply'] & number];
