/** Logs a failure that the app doesn't show, to the browser's console. */
export function logFailure(what: string, failure: unknown): void {
  // oxlint-disable-next-line no-console -- this is the one place where the app logs
  console.error(what, failure);
}
