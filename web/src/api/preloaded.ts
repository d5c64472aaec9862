/**
 * Replies to calls that the page sent before its scripts ran (`build/page-scripts.ts`). Keys are method, path and body.
 * The replies belong to the session of `authorization`.
 */
export type PreloadedReplies = { authorization: string | null; replies: Record<string, Promise<Response>> };

declare global {
  var firstCalls: PreloadedReplies | undefined;
}

/** Preloaded replies are valid until this time after navigation, in ms; later requests need current data. */
const PRELOADED_VALID_MS = 30_000;

/** Returns the reply of a preloaded call and removes it; undefined if the page did not send that call. */
export function takePreloadedReply(
  method: string,
  path: string,
  body: BodyInit | null,
  headers: Headers,
): Promise<Response> | undefined {
  const { authorization, replies } = globalThis.firstCalls ?? {};
  if (!replies || headers.get('authorization') !== authorization || performance.now() > PRELOADED_VALID_MS)
    return undefined;
  const callKey = `${method} ${path} ${typeof body === 'string' ? body : ''}`;
  const reply = replies[callKey];
  delete replies[callKey];
  return reply;
}
