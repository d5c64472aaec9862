import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { NetworkMatcher } from './caller-address.ts';

/** Rewrites a URL so that the caller can open it. */
export type RewriteAddress = (address: string) => string;
/** The host that a caller requested. */
export type RequestedHost = { origin: string; name: string };
/** Creates the URL rewriter for callers of a host. */
export type AddressRewriterForHost = (host: RequestedHost | undefined) => RewriteAddress;

const HOST_NAME_MAX = 253;
/** A host name or IP address with an optional port, without characters that have a meaning in a policy or URL. */
const HOST_HEADER = /^(?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i;
/** Characters that end the host in a URL. */
const NOT_IN_HOST = /[/\\?#@\s]/;
/** What proxies report of a connection with TLS; some report a websocket's own. */
const SECURE_PROTOCOLS = ['https', 'wss'];

/** A request or a socket's handshake, with the address of its connection. */
export type HostClaim = { headers: FastifyRequest['headers']; remoteAddress: string | undefined };

/**
 * The host that a caller requested: of a page, a call or a socket. The headers are the caller's own claim, so only
 * replies to that caller use it.
 */
export function requestedHost(claim: HostClaim, isTrustedProxy: NetworkMatcher): RequestedHost | undefined {
  const { host, protocol } = claimedHost(claim, isTrustedProxy);
  if (host === undefined || host.length > HOST_NAME_MAX || !HOST_HEADER.test(host)) return undefined;
  const origin = `${protocol}://${host}`;
  // The numbers of a port or of an IP address may still be out of range.
  return URL.canParse(origin) ? { origin: new URL(origin).origin, name: new URL(origin).hostname } : undefined;
}

/** Whether the browser's Origin is the requested host. Proxies may have ended TLS, so the protocol is not compared. */
export const isRequestedOrigin = (claim: HostClaim, isTrustedProxy: NetworkMatcher): boolean =>
  isOriginOf(claim.headers.origin, claimedHost(claim, isTrustedProxy).host);

/** A trusted proxy may report what the caller requested, as X-Forwarded-Host and X-Forwarded-Proto. */
function claimedHost(
  { headers, remoteAddress }: HostClaim,
  isTrustedProxy: NetworkMatcher,
): { host: string | undefined; protocol: 'http' | 'https' } {
  const isForwarded = isTrustedProxy(remoteAddress);
  const host = (isForwarded ? lastValue(headers['x-forwarded-host']) : undefined) ?? headers.host;
  const protocol = isForwarded ? lastValue(headers['x-forwarded-proto']) : undefined;
  // Without the protocol of a proxy that ends TLS, the browser's Origin still has it.
  const isSecure =
    protocol === undefined
      ? headers.origin?.startsWith('https:') === true && isOriginOf(headers.origin, host)
      : SECURE_PROTOCOLS.includes(protocol);
  return { host, protocol: isSecure ? 'https' : 'http' };
}

/** Each proxy appends its value; the nearest one's is last. */
const lastValue = (header: string | string[] | undefined): string | undefined =>
  header?.toString().split(',').at(-1)?.trim().toLowerCase() || undefined;

/** @param host may name the default port of the origin's protocol */
function isOriginOf(origin: string | undefined, host: string | undefined): boolean {
  if (origin === undefined || host === undefined || !URL.canParse(origin) || NOT_IN_HOST.test(host)) return false;
  const { protocol, origin: canonicalOrigin } = new URL(origin);
  const requested = `${protocol}//${host}`;
  // Origins of schemes without a host are all 'null'.
  return canonicalOrigin !== 'null' && URL.canParse(requested) && new URL(requested).origin === canonicalOrigin;
}

/** Creates the URL rewriter for a caller. */
export const addressRewriterOf = (server: FastifyInstance, claim: HostClaim): RewriteAddress =>
  server.addressRewriterFor(requestedHost(claim, server.isTrustedProxy));

/** Creates the URL rewriter for the caller of a request. */
export const createAddressRewriter = ({ raw, server }: FastifyRequest): RewriteAddress =>
  addressRewriterOf(server, { headers: raw.headers, remoteAddress: raw.socket.remoteAddress });

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
