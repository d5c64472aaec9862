/**
 * Replies that the page asked for itself, beside its scripts (`build/page-scripts.ts`), by method, path and body. They belong to the
 * session of `authorization`.
 */
export type PreloadedReplies = { authorization: string | null; replies: Record<string, Promise<Response>> };

declare global {
  var firstCalls: PreloadedReplies | undefined;
}

/** A reply is for the first screen: what is asked later wants to know what is true then. In ms since the page began. */
const FRESH_UNTIL_MS = 30_000;

/** The reply to a call that the page has already made, once; undefined when it has made none. */
export function takePreloadedReply(
  method: string,
  path: string,
  body: BodyInit | null,
  headers: Headers,
): Promise<Response> | undefined {
  const { authorization, replies } = globalThis.firstCalls ?? {};
  if (!replies || headers.get('authorization') !== authorization || performance.now() > FRESH_UNTIL_MS)
    return undefined;
  const call = `${method} ${path} ${typeof body === 'string' ? body : ''}`;
  const reply = replies[call];
  delete replies[call];
  return reply;
}
