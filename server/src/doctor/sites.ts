import { parseNetworks, type NetworkMatcher } from '../platform/http/caller-address.ts';

/** An origin, and the fields that have it. */
export type Site = { url: URL; fields: string[] };

const FIELDS_MAX = 3;
const isLoopback = parseNetworks('loopback, 0.0.0.0') as NetworkMatcher;

/** The origins of all http URLs, each once, with the paths of their fields. */
export function collectSites(settings: object): Site[] {
  const sitesByOrigin = new Map<string, Site>();
  const collectUrls = (node: unknown, path: readonly string[]): void => {
    if (typeof node === 'object' && node !== null) {
      for (const [name, child] of Object.entries(node)) collectUrls(child, [...path, name]);
    } else if (typeof node === 'string' && /^https?:\/\//i.test(node) && URL.canParse(node)) {
      const url = new URL(node);
      const site = sitesByOrigin.get(url.origin) ?? { url, fields: [] };
      sitesByOrigin.set(url.origin, { ...site, fields: [...site.fields, path.join('.')] });
    }
  };
  collectUrls(settings, []);
  return [...sitesByOrigin.values()];
}

export const listFields = (fields: readonly string[]): string =>
  fields.length > FIELDS_MAX
    ? `${fields.slice(0, FIELDS_MAX).join(', ')} and ${fields.length - FIELDS_MAX} more`
    : fields.join(', ');

/** Whether a host of a URL is this machine. */
export const isOwnMachine = (hostname: string): boolean =>
  /^(?:.*\.)?localhost\.?$/.test(hostname) || isLoopback(hostname.replaceAll(/[[\]]/g, ''));
