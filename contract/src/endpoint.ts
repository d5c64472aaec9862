import type { z } from 'zod';
import type { ErrorCode } from './errors.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/**
 * One call of the API as a value. The server parses what comes in and what goes out by it, the app is typed by it, and
 * the OpenAPI document is made from it.
 */
export type Endpoint = {
  method: Method;
  /** Path with `{name}` for each parameter, as OpenAPI writes it. */
  path: string;
  /**
   * `member`: needs a live session. `customer`: a live session (`Authorization: Bearer TOKEN`), or a visitor who shows
   * their guest-id and its secret (`Authorization: Guest ID.SECRET`): KEY_MISSING without either, KEY_INVALID for a wrong
   * secret and an unknown guest-id alike. `public`: anyone, whatever token comes along.
   */
  access: 'public' | 'customer' | 'member';
  summary: string;
  params?: z.ZodObject;
  /** Parameters of the path that no log may show. */
  secretParams?: readonly string[];
  body?: z.ZodObject;
  /** What is answered, by HTTP status. Fields that the schema does not name are left out. */
  reply: Readonly<Record<number, z.ZodType>>;
  /** Codes that this call can fail with, beyond those that every call can (see {@link commonErrors}). */
  errors: readonly ErrorCode[];
  /** Codes that are also sent with another HTTP status than their usual one. */
  alsoSent?: Readonly<Record<number, readonly ErrorCode[]>>;
  /** The code for a body or parameter of the wrong shape. */
  malformed: ErrorCode;
  /** A GET that changes something: it needs the marker header and is never answered to a prefetcher. */
  changesState?: true;
  /** A visitor may show a guest-id without its secret (`Authorization: Guest ID`): they have none yet. */
  acceptsNewVisitors?: true;
  /** A visitor may come without an Authorization header; the body then names their guest-id. */
  acceptsAnonymous?: true;
  /** Reads the Idempotency-Key header: the same key with the same input happens once. */
  idempotent?: true;
  /** Its outcome is a result: a failure carries `success: false, error: CODE, result: null` besides its `message`. */
  tellsResult?: true;
  /** Takes a file as multipart/form-data instead of JSON, and may take five minutes. */
  upload?: true;
};

/** Codes that any call can answer. */
export const commonErrors = [
  'gone',
  'INTERNAL_SERVER_ERROR',
  'REQUEST_LIMIT',
  'KEY_MISSING',
  'KEY_INVALID',
  'NO_DATA',
] as const satisfies readonly ErrorCode[];

/** Codes that any call which needs a session can answer besides. */
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

/** What the server's handler gets. */
export type ParamsOf<E extends Endpoint> = Parsed<E['params']>;
export type BodyOf<E extends Endpoint> = Parsed<E['body']>;

/** What the app sends. */
export type RequestBodyOf<E extends Endpoint> = Raw<E['body']>;
export type RequestParamsOf<E extends Endpoint> = Raw<E['params']>;

/** The statuses and bodies that a handler may answer. */
export type ReplyOf<E extends Endpoint> = {
  [S in keyof E['reply'] & number]: { status: S; body: z.input<E['reply'][S]> };
}[keyof E['reply'] & number];

/** The body that the app receives, whichever of the declared statuses came. */
export type ReplyBodyOf<E extends Endpoint> = {
  [S in keyof E['reply'] & number]: z.output<E['reply'][S]>;
}[keyof E['reply'] & number];
