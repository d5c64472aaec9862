import { networkInterfaces } from 'node:os';

/** What listens on these answers at every address of the machine. */
const EVERYWHERE = new Set(['0.0.0.0', '::']);
const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|::1)$/;
/** Networks between programs of one machine: a phone is in none of them. */
const INNER = /^(docker|br-|veth|virbr|vmnet|vboxnet|cni|podman|tun|utun|wg|tailscale)/;

/**
 * Under which addresses the programs reach each other, and browsers reach them.
 * @param config.host what is listened on
 * @param config.publicUrl public address of the app, if configured; else the requested host
 */
export function placesOf({ host, publicUrl, simulatorsUrl }, { port, simulatorsPort }) {
  const isLocal = EVERYWHERE.has(host) || LOOPBACK.test(host);
  // Another loopback address than the usual one, or one address of the network, is the only one that answers.
  const inside = EVERYWHERE.has(host) ? '127.0.0.1' : inAddress(host);
  const shown = isLocal && (EVERYWHERE.has(host) || host === '127.0.0.1') ? 'localhost' : inside;
  const url = `http://${inside}:${port}`;
  const outside = `http://${inside}:${simulatorsPort}`;
  const own = `http://${shown}:${port}`;
  const followHost = [...(publicUrl === undefined ? [own] : []), ...(simulatorsUrl === undefined ? [outside] : [])];
  return {
    url,
    outside,
    /** What people on this machine open. */
    own: { app: own, outside: `http://${shown}:${simulatorsPort}` },
    publicUrl: publicUrl ?? own,
    simulatorsUrl,
    followHost,
  };
}

const inAddress = (host) => (host.includes(':') ? `[${host}]` : host);

/** Whether only this machine can reach what listens on an address. */
export const isLoopback = (host) => LOOPBACK.test(host);

/** Addresses of this machine in its networks, those of a home or an office first. */
export function networkAddresses(interfaces = networkInterfaces()) {
  const all = Object.entries(interfaces).flatMap(([name, addresses = []]) =>
    addresses
      .filter(({ family, internal }) => family === 'IPv4' && !internal && !INNER.test(name))
      .map(({ address }) => address),
  );
  const isPrivate = (address) => /^(192\.168|10|172\.(1[6-9]|2\d|3[01]))\./.test(address);
  return all.toSorted((one, other) => Number(isPrivate(other)) - Number(isPrivate(one)));
}
