import type { ReplyBodyOf, RequestBodyOf, RequestParamsOf } from '@krapao/contract/endpoint';
import type { EndpointName, Endpoints } from '@krapao/contract/endpoints';

export type { EndpointName };

/** What a call answers. */
export type Reply<N extends EndpointName> = ReplyBodyOf<Endpoints[N]>;

type Optional<T> = [T] extends [undefined] ? true : false;
type Part<Name extends string, T> = Optional<T> extends true ? unknown : { [K in Name]: T };

/** Names of the calls that move money or make something: they can't be made without a key. */
export type IdempotentName = {
  [N in EndpointName]: Endpoints[N] extends { idempotent: true } ? N : never;
}[EndpointName];

type Key<N extends EndpointName> = N extends IdempotentName ? { idempotencyKey: string } : unknown;

/** What a call needs: path parameters, body, idempotency key, each only where its endpoint declares it. */
export type CallInput<N extends EndpointName> = Part<'params', RequestParamsOf<Endpoints[N]>> &
  Part<'body', RequestBodyOf<Endpoints[N]>> &
  Key<N>;

export type CallOptions = {
  signal?: AbortSignal;
  /** Default: 60 s. */
  timeoutMs?: number;
  /** Hides the loader: a background call. */
  quiet?: boolean;
  /** Authorization header of a chat visitor, who has no session. */
  authorization?: string | undefined;
};

/** The input is optional if nothing in it is required. */
export type CallArguments<N extends EndpointName> =
  unknown extends CallInput<N> ? [input?: CallOptions] : [input: CallInput<N> & CallOptions];
