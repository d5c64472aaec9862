/**
 * An address of the web that may be opened or shown: http or https, nothing that runs here. One with a name before its host
 * is only there to mislead.
 * @param base what an address without a host belongs to
 * @returns it, whole; undefined for whatever is none
 */
export function webAddress(text: string, base?: string): string | undefined {
  if (text === '' || !URL.canParse(text, base)) return undefined;
  const { protocol, username, password, href } = new URL(text, base);
  return /^https?:$/.test(protocol) && !username && !password ? href : undefined;
}
