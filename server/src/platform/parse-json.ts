/** An unparsed body; signatures cover its bytes. */
export type RawBody = string | Buffer;

/** Decodes a body as UTF-8 without byte order mark; invalid bytes become U+FFFD. */
export const decodeBody = (body: RawBody): string =>
  typeof body === 'string' ? body.replace(/^\ufeff/, '') : new TextDecoder().decode(body);

/** Reads JSON that came from outside; undefined when it is malformed. */
export function parseJson(body: RawBody): unknown {
  try {
    return JSON.parse(decodeBody(body)) as unknown;
  } catch {
    return undefined;
  }
}
