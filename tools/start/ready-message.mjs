import { isLoopback, networkAddresses } from './urls.mjs';

/**
 * Message of `npm start` once the system is ready: URLs on this machine and for a phone.
 * @param urls result of `urlsOf`
 * @param drawQr draws a QR code for the terminal
 */
export async function readyMessage(config, urls, ports, drawQr, addresses = networkAddresses()) {
  const { own } = urls;
  const outside = (address) => ` · ${address} (the outside world and your phone)`;
  const lines = [`Krapao is ready: ${own.app} (app)${config.simulators ? outside(own.outside) : ''}`];
  const [networkUrls] = reachedAt(config, ports, addresses);
  if (networkUrls) {
    const { app, simulators } = networkUrls;
    lines.push('', `On a phone: ${app} (app)${config.simulators ? outside(simulators) : ''}`, await drawQr(app));
  } else if (isLoopback(config.host)) {
    lines.push('Only this machine can open it. To try it on a phone in the same network: HOST=0.0.0.0 npm start');
  } else {
    lines.push('This machine is in no network that a phone could reach it by.');
  }
  const [, ...otherUrls] = reachedAt(config, ports, addresses);
  if (otherUrls.length > 0)
    lines.push(`Other networks of this machine: ${otherUrls.map(({ app }) => app).join(' · ')}`);
  return lines.join('\n');
}

/** URLs of app and simulators for other machines, likeliest first. */
function reachedAt({ host, publicUrl, simulatorsUrl }, { port, simulatorsPort }, addresses) {
  const urlsAt = (address) => ({
    app: publicUrl ?? `http://${address}:${port}`,
    simulators: simulatorsUrl ?? `http://${address}:${simulatorsPort}`,
  });
  // A configured address is assumed to belong to this machine.
  if (publicUrl !== undefined) return [urlsAt(new URL(publicUrl).hostname)];
  if (isLoopback(host)) return [];
  return (host === '0.0.0.0' || host === '::' ? addresses : [host.includes(':') ? `[${host}]` : host]).map(urlsAt);
}
