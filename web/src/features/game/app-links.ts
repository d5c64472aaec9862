import { parseUrl } from '../../format/web-address.ts';
import type { GameAccount } from '../../member/wallet.ts';

export const linkKinds = ['web', 'android', 'ios'] as const;
export type LinkKind = (typeof linkKinds)[number];
export type GameLink = { kind: LinkKind; url: string; isPage: boolean };

/** URL schemes that execute code in the page or read local data. */
const FORBIDDEN_SCHEMES: readonly string[] = [
  'javascript:',
  'data:',
  'vbscript:',
  'blob:',
  'file:',
  'filesystem:',
  'content:',
];

/**
 * Scheme of a URL that may be opened: a web page, or an app by its own scheme (`joker://…`, `intent://…`); else
 * undefined.
 */
function schemeOf(address: string): string | undefined {
  const url = /^[a-z][a-z0-9+.-]*:\/\//i.test(address) ? parseUrl(address) : undefined;
  return url === undefined || FORBIDDEN_SCHEMES.includes(url.protocol) ? undefined : url.protocol;
}

/** Platform of the phone or tablet; undefined on other devices. An iPad's user agent is that of a Mac. */
export function ownPlatform({
  userAgent,
  maxTouchPoints,
}: Pick<Navigator, 'userAgent' | 'maxTouchPoints'> = navigator): 'android' | 'ios' | undefined {
  if (/Android/i.test(userAgent)) return 'android';
  const isTablet = /Macintosh/.test(userAgent) && maxTouchPoints > 1;
  return isTablet || /iPhone|iPad|iPod/.test(userAgent) ? 'ios' : undefined;
}

/** Download and web links of a game, those for this device's platform first. Unsafe links are omitted. */
export function gameLinks(game: Pick<GameAccount, LinkKind>, platform = ownPlatform()): GameLink[] {
  const linkOrder = platform ? [platform, ...linkKinds.filter((kind) => kind !== platform)] : linkKinds;
  return linkOrder.flatMap((kind) => {
    const url = game[kind] ?? '';
    const scheme = schemeOf(url);
    return scheme === undefined ? [] : [{ kind, url, isPage: scheme === 'http:' || scheme === 'https:' }];
  });
}
