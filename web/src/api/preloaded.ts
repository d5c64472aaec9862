/**
 * Replies to requests that the page sent before its scripts (`build/page-scripts.ts`), by method, path and body. They
 * belong to the session of `authorization`.
 */
export type PreloadedReplies = { authorization: string | null; replies: Record<string, Promise<Response>> };

declare global {
  var firstCalls: PreloadedReplies | undefined;
}

/** Preloaded replies serve only the first screen; later requests need current data. In ms since navigation. */
const FRESH_UNTIL_MS = 30_000;

/** Takes the reply of a preloaded call once; undefined if the page did not send it. */
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
