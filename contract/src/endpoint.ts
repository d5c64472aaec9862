import type { z } from 'zod';
import type { ErrorCode } from './errors.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/**
 * One API call as a value. The server parses requests and replies with it; the app's types and the OpenAPI document
 * derive from it.
 */
export type Endpoint = {
  method: Method;
  /** Path with `{name}` for each parameter, in OpenAPI syntax. */
  path: string;
  /**
   * `member`: needs a live session. `customer`: a live session (`Authorization: Bearer TOKEN`), or a visitor with
   * guest-id and secret (`Authorization: Guest ID.SECRET`). KEY_MISSING without either; KEY_INVALID for a wrong secret
   * or an unknown guest-id. `public`: anyone; a sent token is ignored.
   */
  access: 'public' | 'customer' | 'member';
  summary: string;
  params?: z.ZodObject;
  /** Path parameters that the log must hide. */
  secretParams?: readonly string[];
  body?: z.ZodObject;
  /** Reply schemas by HTTP status. Fields outside the schema are removed. */
  replies: Readonly<Record<number, z.ZodType>>;
  /** Codes of this call, in addition to those of every call (see {@link commonErrors}). */
  errors: readonly ErrorCode[];
  /** Codes that are also sent with another HTTP status than their own. */
  alsoSent?: Readonly<Record<number, readonly ErrorCode[]>>;
  /** Code for a malformed body or parameter. */
  malformed: ErrorCode;
  /**
   * A GET that changes state: it requires the header `X-Requested-With` and refuses cross-site and prefetching requests, because a
   * link could trigger it. Calls with a body need no marker: a JSON body and a bearer header require a preflight, which is refused.
   */
  changesState?: true;
  /** Accepts a visitor with a guest-id that has no secret yet (`Authorization: Guest ID`). */
  acceptsNewVisitors?: true;
  /** Accepts a visitor without an Authorization header; the body then has the guest-id. */
  acceptsAnonymous?: true;
  /** Reads the Idempotency-Key header: the same key with the same input runs once. */
  idempotent?: true;
  /** Failures have the result format too: `success: false, error: CODE, result: null` and `message`. */
  tellsResult?: true;
  /** Takes a file as multipart/form-data instead of JSON, within five minutes. */
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

type ParsedInput<S> = S extends z.ZodType ? z.output<S> : undefined;
type RawInput<S> = S extends z.ZodType ? z.input<S> : undefined;

/** Input of the server's handler. */
export type ParamsOf<E extends Endpoint> = ParsedInput<E['params']>;
export type BodyOf<E extends Endpoint> = ParsedInput<E['body']>;

/** Input that the app sends. */
export type RequestBodyOf<E extends Endpoint> = RawInput<E['body']>;
export type RequestParamsOf<E extends Endpoint> = RawInput<E['params']>;

/** The statuses and bodies that a handler may return. */
export type ReplyOf<E extends Endpoint> = {
  [S in keyof E['replies'] & number]: { status: S; body: z.input<E['replies'][S]> };
}[keyof E['replies'] & number];

/** The body that the app receives, for any of the declared statuses. */
export type ReplyBodyOf<E extends Endpoint> = {
  [S in keyof E['replies'] & number]: z.output<E['replies'][S]>;
}[keyof E['replies'] & number];
