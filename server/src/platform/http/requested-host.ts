import type { FastifyRequest } from 'fastify';

/** Rewrites an address so that the caller can open it. */
export type RewriteAddress = (address: string) => string;
/** The host that a call was sent to, as its `Host` header says; undefined for one that is none. */
export type RequestedHost = { origin: string; name: string };
/** How addresses are rewritten for a caller of a host. */
export type AddressRewriterForHost = (host: RequestedHost | undefined) => RewriteAddress;

const NAME_MAX = 253;
/**
 * A host name or IP address with an optional port: nothing that could mean something else in a policy or an address.
 */
const HOST = /^(?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i;

/**
 * The host that a call was sent to. The header is the caller's own claim, so it is only used in the answer to that
 * caller.
 * @param protocol `http` or `https`
 */
export function requestedHost(protocol: string, host: string | undefined): RequestedHost | undefined {
  if (host === undefined || host.length > NAME_MAX || !HOST.test(host)) return undefined;
  const origin = `${protocol}://${host}`;
  // The numbers of a port or of an IP address may still be out of range.
  return URL.canParse(origin) ? { origin: new URL(origin).origin, name: new URL(origin).hostname } : undefined;
}

/** Rewrites addresses for the caller of a request. A trusted proxy may state another host than its own. */
export const createAddressRewriter = ({ protocol, host, server }: FastifyRequest): RewriteAddress =>
  server.addressRewriterFor(requestedHost(protocol, host));

/**
 * Rewrites addresses of the app and of the simulated outside to the requested host, so that the same system works by
 * `localhost`, by an address of the local network and by a name. All other addresses stay unchanged.
 * @param settings.followHost origins that do so; the app's own takes the requested port as well, the others keep theirs
 */
export function rewriteToRequestedHost(settings: {
  publicUrl: string;
  followHost: readonly string[];
}): AddressRewriterForHost {
  const app = new URL(settings.publicUrl).origin;
  const followers = new Set(settings.followHost.map((address) => new URL(address).origin));
  if (followers.size === 0) return () => (address) => address;
  return (requested) => (address) => {
    if (requested === undefined || !URL.canParse(address)) return address;
    const { origin } = new URL(address);
    if (!followers.has(origin) || !address.startsWith(origin)) return address;
    if (origin === app) return `${requested.origin}${address.slice(origin.length)}`;
    const there = new URL(origin);
    there.hostname = requested.name;
    return `${there.origin}${address.slice(origin.length)}`;
  };
}
