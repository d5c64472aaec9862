import { networkInterfaces } from 'node:os';

/** Wildcard addresses: reachable at every address of the machine. */
const ANY_ADDRESS = new Set(['0.0.0.0', '::']);
const LOOPBACK_HOST = /^(localhost|127\.\d+\.\d+\.\d+|::1)$/;
/** Virtual network interfaces of this machine, which no phone can reach. */
const VIRTUAL_INTERFACE = /^(docker|br-|veth|virbr|vmnet|vboxnet|cni|podman|tun|utun|wg|tailscale)/;

/**
 * URLs at which the programs reach each other, and browsers reach them.
 * @param config.host address to listen on
 * @param config.publicUrl public URL of the app, if configured; else the requested host
 */
export function urlsOf({ host, publicUrl, simulatorsUrl }, { port, simulatorsPort }) {
  const isLocal = ANY_ADDRESS.has(host) || LOOPBACK_HOST.test(host);
  // When the host is a specific address, nothing listens on 127.0.0.1.
  const internalHost = ANY_ADDRESS.has(host) ? '127.0.0.1' : inAddress(host);
  const shownHost = isLocal && (ANY_ADDRESS.has(host) || host === '127.0.0.1') ? 'localhost' : internalHost;
  const url = `http://${internalHost}:${port}`;
  const outsideUrl = `http://${internalHost}:${simulatorsPort}`;
  const appUrl = `http://${shownHost}:${port}`;
  const followHost = [
    ...(publicUrl === undefined ? [appUrl] : []),
    ...(simulatorsUrl === undefined ? [outsideUrl] : []),
  ];
  return {
    url,
    outside: outsideUrl,
    /** For browsers on this machine. */
    own: { app: appUrl, outside: `http://${shownHost}:${simulatorsPort}` },
    publicUrl: publicUrl ?? appUrl,
    simulatorsUrl,
    followHost,
  };
}

const inAddress = (host) => (host.includes(':') ? `[${host}]` : host);

/** Whether an address is reachable only from this machine. */
export const isLoopback = (host) => LOOPBACK_HOST.test(host);

/** IPv4 addresses of this machine, private networks first. */
export function networkAddresses(interfaces = networkInterfaces()) {
  const allAddresses = Object.entries(interfaces).flatMap(([name, addresses = []]) =>
    addresses
      .filter(({ family, internal }) => family === 'IPv4' && !internal && !VIRTUAL_INTERFACE.test(name))
      .map(({ address }) => address),
  );
  const isPrivate = (address) => /^(192\.168|10|172\.(1[6-9]|2\d|3[01]))\./.test(address);
  return allAddresses.toSorted((first, second) => Number(isPrivate(second)) - Number(isPrivate(first)));
}
