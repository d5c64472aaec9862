import type { ReplyBodyOf, RequestBodyOf, RequestParamsOf } from '@krapao/contract/endpoint';
import type { EndpointName, Endpoints } from '@krapao/contract/endpoints';

export type { EndpointName };

/** Reply body of a call. */
export type Reply<N extends EndpointName> = ReplyBodyOf<Endpoints[N]>;

type IsOptional<T> = [T] extends [undefined] ? true : false;
type InputField<Name extends string, T> = IsOptional<T> extends true ? unknown : { [K in Name]: T };

/** Names of calls that move money or create something; they require an idempotency key. */
export type IdempotentName = {
  [N in EndpointName]: Endpoints[N] extends { idempotent: true } ? N : never;
}[EndpointName];

type IdempotencyKeyInput<N extends EndpointName> = N extends IdempotentName ? { idempotencyKey: string } : unknown;

/** Input of a call: path parameters, body and idempotency key, each only if its endpoint declares it. */
export type CallInput<N extends EndpointName> = InputField<'params', RequestParamsOf<Endpoints[N]>> &
  InputField<'body', RequestBodyOf<Endpoints[N]>> &
  IdempotencyKeyInput<N>;

export type CallOptions = {
  signal?: AbortSignal;
  /** 60 s by default. */
  timeoutMs?: number;
  /** Hides the loader, for background calls. */
  quiet?: boolean;
  /** Authorization header of a chat visitor, who has no session. */
  authorization?: string | undefined;
};

/** Arguments of `call`; the input is optional if no field of it is required. */
export type CallArguments<N extends EndpointName> =
  unknown extends CallInput<N> ? [input?: CallOptions] : [input: CallInput<N> & CallOptions];
