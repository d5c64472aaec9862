/**
 * Passes the reply of a page's early call to a function before the app has loaded, in an inline script of the page
 * (`build/screens.ts`). A refusal or an invalid reply is ignored here; the app reads the same reply and handles it.
 * @param callKey method, path and body
 */
export function onEarlyReply<Reply>(callKey: string, show: (reply: Reply) => void): void {
  globalThis.firstCalls?.replies[callKey]
    // Clones the response, because the app reads it again.
    ?.then(async (response) => show((await response.clone().json()) as Reply))
    .catch(() => undefined);
}
