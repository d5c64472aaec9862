/** Parses a URL; undefined if invalid. Replaces `URL.canParse`, which needs Safari 17 or Chrome 120. */
export function parseUrl(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}

/**
 * Validates a URL for opening or display: http or https, without credentials (a user name can imitate a host).
 * @param base base URL of relative URLs
 * @returns the absolute URL; undefined if it is not allowed
 */
export function webAddress(text: string, base?: string): string | undefined {
  const url = text === '' ? undefined : parseUrl(text, base);
  if (!url) return undefined;
  const { protocol, username, password, href } = url;
  return /^https?:$/.test(protocol) && !username && !password ? href : undefined;
}

/** Whether an operator's image source may be displayed: a path of this site or an https URL. */
export const isImageSource = (src: string | undefined): src is string => /^(https:\/\/|\/(?!\/))/.test(src ?? '');
