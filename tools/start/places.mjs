import { networkInterfaces } from 'node:os';

/** Wildcard addresses: reachable at every address of the machine. */
const EVERYWHERE = new Set(['0.0.0.0', '::']);
const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|::1)$/;
/** Virtual networks of this machine, which no phone can reach. */
const INNER = /^(docker|br-|veth|virbr|vmnet|vboxnet|cni|podman|tun|utun|wg|tailscale)/;

/**
 * Addresses at which the programs reach each other, and browsers reach them.
 * @param config.host address to listen on
 * @param config.publicUrl public address of the app, if configured; else the requested host
 */
export function placesOf({ host, publicUrl, simulatorsUrl }, { port, simulatorsPort }) {
  const isLocal = EVERYWHERE.has(host) || LOOPBACK.test(host);
  // With a specific address nothing listens at 127.0.0.1.
  const inside = EVERYWHERE.has(host) ? '127.0.0.1' : inAddress(host);
  const shown = isLocal && (EVERYWHERE.has(host) || host === '127.0.0.1') ? 'localhost' : inside;
  const url = `http://${inside}:${port}`;
  const outside = `http://${inside}:${simulatorsPort}`;
  const own = `http://${shown}:${port}`;
  const followHost = [...(publicUrl === undefined ? [own] : []), ...(simulatorsUrl === undefined ? [outside] : [])];
  return {
    url,
    outside,
    /** For browsers on this machine. */
    own: { app: own, outside: `http://${shown}:${simulatorsPort}` },
    publicUrl: publicUrl ?? own,
    simulatorsUrl,
    followHost,
  };
}

const inAddress = (host) => (host.includes(':') ? `[${host}]` : host);

/** Whether an address is reachable only from this machine. */
export const isLoopback = (host) => LOOPBACK.test(host);

/** IPv4 addresses of this machine, private networks first. */
export function networkAddresses(interfaces = networkInterfaces()) {
  const all = Object.entries(interfaces).flatMap(([name, addresses = []]) =>
    addresses
      .filter(({ family, internal }) => family === 'IPv4' && !internal && !INNER.test(name))
      .map(({ address }) => address),
  );
  const isPrivate = (address) => /^(192\.168|10|172\.(1[6-9]|2\d|3[01]))\./.test(address);
  return all.toSorted((one, other) => Number(isPrivate(other)) - Number(isPrivate(one)));
}
