/** Parses an address; undefined if it is invalid. (`URL.canParse` needs Safari 17 and Chrome 120.) */
export function parseUrl(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}

/**
 * An address of the web that may be opened or shown: http or https, nothing that runs here. One with a name before its host
 * is only there to mislead.
 * @param base what an address without a host belongs to
 * @returns it, whole; undefined for whatever is none
 */
export function webAddress(text: string, base?: string): string | undefined {
  const url = text === '' ? undefined : parseUrl(text, base);
  if (!url) return undefined;
  const { protocol, username, password, href } = url;
  return /^https?:$/.test(protocol) && !username && !password ? href : undefined;
}
