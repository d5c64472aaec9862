import { z } from 'zod';
import { declaredFailures } from './declared-failures.ts';
import type { Endpoint } from './endpoint.ts';
import { endpoints } from './endpoints.ts';
import { joinReply, socketEvents } from './event-shapes.ts';

/**
 * Difference between a message of the server and the contract, as a sentence; undefined for none. Development and
 * browser tests check every reply and event; the production app never loads this file.
 */
export type WireFault = string | undefined;

const failureBody = z.object({ message: z.string(), detail: z.string().optional(), requestId: z.string().optional() });
const failedResult = failureBody.extend({ success: z.literal(false), error: z.string(), result: z.null() });

const byShape = Object.values(endpoints as Record<string, Endpoint>).map((endpoint) => ({
  endpoint,
  path: new RegExp(`^${endpoint.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
}));

/** @param path requested path, without query */
export function replyMismatch(method: string, path: string, status: number, body: string): WireFault {
  const { endpoint } =
    byShape.find((candidate) => candidate.endpoint.method === method && candidate.path.test(path)) ?? {};
  const callText = `${method} ${path} answered ${status}`;
  if (!endpoint) return `${callText}, and the contract declares no such call`;
  let replyBody: unknown;
  try {
    replyBody = JSON.parse(body);
  } catch {
    return `${callText} with what is no JSON`;
  }
  const schema = endpoint.replies[status];
  const mismatch = schema ? shapeFault(schema, replyBody) : failureFault(endpoint, status, replyBody);
  return mismatch && `${callText}: ${mismatch}`;
}

function failureFault(endpoint: Endpoint, status: number, replyBody: unknown): WireFault {
  const codes: readonly string[] | undefined = declaredFailures(endpoint).get(status);
  if (!codes) return 'this status is not declared';
  const result = (endpoint.tellsResult ? failedResult : failureBody).safeParse(replyBody);
  if (!result.success) return issuesOf(result.error);
  return codes.includes(result.data.message) ? undefined : `${result.data.message} is not declared with this status`;
}

/** @param event name of an event of our own socket; @param payload its first argument */
export function eventMismatch(event: string, payload: unknown): WireFault {
  const schema = socketEvents[event];
  if (!schema) return `the contract declares no event ${event}`;
  const mismatch = shapeFault(schema, payload);
  return mismatch && `event ${event}: ${mismatch}`;
}

/** @param reply acknowledgement of `join`, the only request on the socket */
export function joinMismatch(reply: unknown): WireFault {
  const mismatch = shapeFault(joinReply, reply);
  return mismatch && `acknowledgement of join: ${mismatch}`;
}

function shapeFault(schema: z.ZodType, value: unknown): WireFault {
  const result = schema.safeParse(value);
  return result.success ? undefined : issuesOf(result.error);
}

const issuesOf = ({ issues }: z.ZodError): string =>
  issues.map(({ path, message }) => `${path.join('.') || 'the body'}: ${message}`).join('; ');
