import { isLoopback, networkAddresses } from './places.mjs';

/**
 * What `npm start` prints once everything is ready: addresses on this machine and for a phone.
 * @param places result of `placesOf`
 * @param drawQr draws a QR code for the terminal
 */
export async function readyMessage(config, places, ports, drawQr, addresses = networkAddresses()) {
  const { own } = places;
  const outside = (address) => ` · ${address} (the outside world and your phone)`;
  const lines = [`Krapao is ready: ${own.app} (app)${config.simulators ? outside(own.outside) : ''}`];
  const [reached] = reachedAt(config, ports, addresses);
  if (reached) {
    const { app, simulators } = reached;
    lines.push('', `On a phone: ${app} (app)${config.simulators ? outside(simulators) : ''}`, await drawQr(app));
  } else if (isLoopback(config.host)) {
    lines.push('Only this machine can open it. To try it on a phone in the same network: HOST=0.0.0.0 npm start');
  } else {
    lines.push('This machine is in no network that a phone could reach it by.');
  }
  const [, ...others] = reachedAt(config, ports, addresses);
  if (others.length > 0) lines.push(`Other networks of this machine: ${others.map(({ app }) => app).join(' · ')}`);
  return lines.join('\n');
}

/** Addresses of app and simulators for other machines, likeliest first. */
function reachedAt({ host, publicUrl, simulatorsUrl }, { port, simulatorsPort }, addresses) {
  const at = (address) => ({
    app: publicUrl ?? `http://${address}:${port}`,
    simulators: simulatorsUrl ?? `http://${address}:${simulatorsPort}`,
  });
  // A configured address is assumed to reach this machine.
  if (publicUrl !== undefined) return [at(new URL(publicUrl).hostname)];
  if (isLoopback(host)) return [];
  return (host === '0.0.0.0' || host === '::' ? addresses : [host.includes(':') ? `[${host}]` : host]).map(at);
}
