import type { GameAccount } from '../../member/wallet.ts';
import { parseUrl } from '../../format/web-address.ts';

export const linkKinds = ['web', 'android', 'ios'] as const;
export type LinkKind = (typeof linkKinds)[number];
export type GameLink = { kind: LinkKind; address: string; isPage: boolean };

/** Schemes that run code in the page, or read local data. */
const NEVER: readonly string[] = ['javascript:', 'data:', 'vbscript:', 'blob:', 'file:', 'filesystem:', 'content:'];

/** The scheme of a URL that may be opened: a page, or an app by its own scheme (`joker://…`, `intent://…`). */
function schemeOf(address: string): string | undefined {
  const url = /^[a-z][a-z0-9+.-]*:\/\//i.test(address) ? parseUrl(address) : undefined;
  return url === undefined || NEVER.includes(url.protocol) ? undefined : url.protocol;
}

/** The phone's platform; undefined on other devices. An iPad reports itself as a Mac. */
export function ownPlatform({
  userAgent,
  maxTouchPoints,
}: Pick<Navigator, 'userAgent' | 'maxTouchPoints'> = navigator): 'android' | 'ios' | undefined {
  if (/Android/i.test(userAgent)) return 'android';
  const isTablet = /Macintosh/.test(userAgent) && maxTouchPoints > 1;
  return isTablet || /iPhone|iPad|iPod/.test(userAgent) ? 'ios' : undefined;
}

/** Download and web links of a game, the own platform first; unsafe ones are left out. */
export function gameLinks(game: Pick<GameAccount, LinkKind>, own = ownPlatform()): GameLink[] {
  const order = own ? [own, ...linkKinds.filter((kind) => kind !== own)] : linkKinds;
  return order.flatMap((kind) => {
    const address = game[kind] ?? '';
    const scheme = schemeOf(address);
    return scheme === undefined ? [] : [{ kind, address, isPage: scheme === 'http:' || scheme === 'https:' }];
  });
}
