/** Writes down a failure that the member isn't told of, for who looks at the browser's console with them. */
export function logFailure(what: string, failure: unknown): void {
  // oxlint-disable-next-line no-console -- this is the one place where the app logs
  console.error(what, failure);
}
