import type { FastifyRequest } from 'fastify';

/** Rewrites a URL so that the caller can open it. */
export type RewriteAddress = (address: string) => string;
/** The requested host, from the `Host` header. */
export type RequestedHost = { origin: string; name: string };
/** Creates the URL rewriter for callers of a host. */
export type AddressRewriterForHost = (host: RequestedHost | undefined) => RewriteAddress;

const HOST_NAME_MAX = 253;
/** A host name or IP address with an optional port, without characters that have a meaning in a policy or URL. */
const HOST_HEADER = /^(?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i;

/**
 * Parses the requested host. The header is the caller's own claim, so only replies to that caller use it.
 * @param protocol `http` or `https`
 */
export function requestedHost(protocol: string, host: string | undefined): RequestedHost | undefined {
  if (host === undefined || host.length > HOST_NAME_MAX || !HOST_HEADER.test(host)) return undefined;
  const origin = `${protocol}://${host}`;
  // The numbers of a port or of an IP address may still be out of range.
  return URL.canParse(origin) ? { origin: new URL(origin).origin, name: new URL(origin).hostname } : undefined;
}

/** Creates the URL rewriter for the caller of a request. A trusted proxy may forward another host than its own. */
export const createAddressRewriter = ({ protocol, host, server }: FastifyRequest): RewriteAddress =>
  server.addressRewriterFor(requestedHost(protocol, host));

/**
 * Rewrites URLs of the app and of the simulated outside to the requested host, so that an installation works by
 * `localhost`, by a local address and by a name. Other URLs stay unchanged.
 * @param settings.followHost origins to rewrite; the app's own origin also takes the requested port, the others keep
 *   theirs
 */
export function rewriteToRequestedHost(settings: {
  publicUrl: string;
  followHost: readonly string[];
}): AddressRewriterForHost {
  const appOrigin = new URL(settings.publicUrl).origin;
  const rewrittenOrigins = new Set(settings.followHost.map((address) => new URL(address).origin));
  if (rewrittenOrigins.size === 0) return () => (address) => address;
  return (requested) => (address) => {
    if (requested === undefined || !URL.canParse(address)) return address;
    const { origin } = new URL(address);
    if (!rewrittenOrigins.has(origin) || !address.startsWith(origin)) return address;
    if (origin === appOrigin) return `${requested.origin}${address.slice(origin.length)}`;
    const rewritten = new URL(origin);
    rewritten.hostname = requested.name;
    return `${rewritten.origin}${address.slice(origin.length)}`;
  };
}
