import { z } from 'zod';
import { declaredFailures } from './declared-failures.ts';
import type { Endpoint } from './endpoint.ts';
import { endpoints } from './endpoints.ts';
import { joinReply, socketEvents } from './event-shapes.ts';

/**
 * What is wrong with what the server sent, in a sentence; undefined when it is as the contract declares it. Development and
 * browser tests check every reply and event by these; the production app never loads them.
 */
export type Fault = string | undefined;

const failure = z.object({ message: z.string(), detail: z.string().optional(), requestId: z.string().optional() });
const failedResult = failure.extend({ success: z.literal(false), error: z.string(), result: z.null() });

const byShape = Object.values(endpoints as Record<string, Endpoint>).map((endpoint) => ({
  endpoint,
  path: new RegExp(`^${endpoint.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
}));

/** @param path as it was requested, without query */
export function replyMismatch(method: string, path: string, status: number, body: string): Fault {
  const { endpoint } = byShape.find((one) => one.endpoint.method === method && one.path.test(path)) ?? {};
  const what = `${method} ${path} answered ${status}`;
  if (!endpoint) return `${what}, and the contract declares no such call`;
  let answer: unknown;
  try {
    answer = JSON.parse(body);
  } catch {
    return `${what} with what is no JSON`;
  }
  const schema = endpoint.reply[status];
  const fault = schema ? shapeFault(schema, answer) : failureFault(endpoint, status, answer);
  return fault && `${what}: ${fault}`;
}

function failureFault(endpoint: Endpoint, status: number, answer: unknown): Fault {
  const codes: readonly string[] | undefined = declaredFailures(endpoint).get(status);
  if (!codes) return 'this status is not declared';
  const parsed = (endpoint.tellsResult ? failedResult : failure).safeParse(answer);
  if (!parsed.success) return issuesOf(parsed.error);
  return codes.includes(parsed.data.message) ? undefined : `${parsed.data.message} is not declared with this status`;
}

/** @param event name of an event of our own socket; @param payload its first argument */
export function eventMismatch(event: string, payload: unknown): Fault {
  const schema = socketEvents[event];
  if (!schema) return `the contract declares no event ${event}`;
  const fault = shapeFault(schema, payload);
  return fault && `event ${event}: ${fault}`;
}

/** @param reply the acknowledgement of `join`, the only request that the socket takes */
export function joinMismatch(reply: unknown): Fault {
  const fault = shapeFault(joinReply, reply);
  return fault && `acknowledgement of join: ${fault}`;
}

function shapeFault(schema: z.ZodType, value: unknown): Fault {
  const parsed = schema.safeParse(value);
  return parsed.success ? undefined : issuesOf(parsed.error);
}

const issuesOf = ({ issues }: z.ZodError): string =>
  issues.map(({ path, message }) => `${path.join('.') || 'the body'}: ${message}`).join('; ');
