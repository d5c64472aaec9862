/** A body as it came: signatures are over its bytes. */
export type RawBody = string | Buffer;

/** The text of a body: UTF-8, without a byte order mark; bytes that are none become U+FFFD. */
export const textOf = (body: RawBody): string =>
  typeof body === 'string' ? body.replace(/^\ufeff/, '') : new TextDecoder().decode(body);

/** Reads JSON that came from outside; undefined when it is malformed. */
export function parseJson(body: RawBody): unknown {
  try {
    return JSON.parse(textOf(body)) as unknown;
  } catch {
    return undefined;
  }
}
