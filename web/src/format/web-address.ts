/** Parses a URL; undefined if it is invalid. (`URL.canParse` needs Safari 17 and Chrome 120.) */
export function parseUrl(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}

/**
 * Validates a URL to open or display: http or https without credentials, which only mislead.
 * @param base of relative URLs
 * @returns the complete URL; undefined if it is not allowed
 */
export function webAddress(text: string, base?: string): string | undefined {
  const url = text === '' ? undefined : parseUrl(text, base);
  if (!url) return undefined;
  const { protocol, username, password, href } = url;
  return /^https?:$/.test(protocol) && !username && !password ? href : undefined;
}
