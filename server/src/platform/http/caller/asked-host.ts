import type { FastifyRequest } from 'fastify';

/** Tells an address as whoever asks can open it. */
export type Told = (address: string) => string;
/** The host that a call was sent to, as its `Host` header says; undefined for one that is none. */
export type AskedHost = { origin: string; name: string };
/** How addresses are told to whoever asked at a host. */
export type TellAddresses = (asked: AskedHost | undefined) => Told;

const NAME_MAX = 253;
/** A name, or an address in numbers, and perhaps a port: nothing that could mean something else in a policy or an address. */
const HOST = /^(?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i;

/**
 * What a call was sent to. The header is the caller's own word, so it is only ever used in the answer to that caller.
 * @param protocol `http` or `https`
 */
export function askedHost(protocol: string, host: string | undefined): AskedHost | undefined {
  if (host === undefined || host.length > NAME_MAX || !HOST.test(host)) return undefined;
  const origin = `${protocol}://${host}`;
  // The numbers of a port or of an IP address may still be too large.
  return URL.canParse(origin) ? { origin: new URL(origin).origin, name: new URL(origin).hostname } : undefined;
}

/** Tells addresses to whoever sent a request. A proxy that is trusted may say that another host was asked than its own. */
export const toldTo = ({ protocol, host, server }: FastifyRequest): Told =>
  server.tellAddresses(askedHost(protocol, host));

/**
 * Tells addresses of the app and of the simulated outside at the host that was asked, so that the same system works by
 * `localhost`, by an address of the local network and by a name. All other addresses stay as they are.
 * @param settings.followHost origins that do so; the app's own takes the asked port as well, the others keep theirs
 */
export function followHost(settings: { publicUrl: string; followHost: readonly string[] }): TellAddresses {
  const app = new URL(settings.publicUrl).origin;
  const followers = new Set(settings.followHost.map((address) => new URL(address).origin));
  if (followers.size === 0) return () => (address) => address;
  return (asked) => (address) => {
    if (asked === undefined || !URL.canParse(address)) return address;
    const { origin } = new URL(address);
    if (!followers.has(origin) || !address.startsWith(origin)) return address;
    if (origin === app) return `${asked.origin}${address.slice(origin.length)}`;
    const there = new URL(origin);
    there.hostname = asked.name;
    return `${there.origin}${address.slice(origin.length)}`;
  };
}
