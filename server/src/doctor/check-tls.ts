import { connect, type PeerCertificate } from 'node:tls';
import type { Outside } from '../outside-config.ts';
import type { Clock } from '../platform/time.ts';
import { duration, type Finding, findingsOf } from './finding.ts';

const { good, warning, fault } = findingsOf('TLS');
const TIMEOUT_MS = 5_000;
const EXPIRES_SOON_SECONDS = 21 * 86_400;
const HTTPS_PORT = 443;
const LOCAL_HOST = /^(?:127\.|\[?::1\]?$|localhost$)/;

/** Checks the certificate of every https URL, own and of counterparties; plain http to another machine is a fault. */
export async function checkTls(outside: Outside, clock: Clock): Promise<Finding[]> {
  const sites = sitesIn(outside);
  const remoteHttpSites = sites.filter(({ protocol, hostname }) => protocol === 'http:' && !LOCAL_HOST.test(hostname));
  const httpsSites = sites.filter(({ protocol }) => protocol === 'https:');
  const findings = [
    ...remoteHttpSites.map(({ origin }) =>
      fault(`${origin} is spoken to without encryption.`, 'Use its https address in the outside file.'),
    ),
    ...(await Promise.all(httpsSites.map((site) => checkCertificate(site, clock)))),
  ];
  return findings.length > 0 ? findings : [good('No address leaves this machine.')];
}

/** The origins of all URLs of the outside file, without duplicates. */
function sitesIn(value: unknown): URL[] {
  const sitesByOrigin = new Map<string, URL>();
  const collectUrls = (node: unknown): void => {
    if (typeof node === 'object' && node !== null) for (const child of Object.values(node)) collectUrls(child);
    else if (typeof node === 'string' && /^https?:\/\//.test(node) && URL.canParse(node)) {
      const url = new URL(node);
      sitesByOrigin.set(url.origin, url);
    }
  };
  collectUrls(value);
  return [...sitesByOrigin.values()];
}

async function checkCertificate(site: URL, clock: Clock): Promise<Finding> {
  try {
    const { valid_to: validUntil } = await certificateOf(site);
    const leftSeconds = (Date.parse(validUntil) - clock.now().getTime()) / 1000;
    const sentence = `The certificate of ${site.origin} holds for ${duration(leftSeconds)}.`;
    if (leftSeconds < EXPIRES_SOON_SECONDS) return warning(sentence, 'Renew it, and see why that is not automatic.');
    return good(sentence);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return fault(
      `${site.origin} has no connection that can be trusted (${code ?? message}).`,
      'Check address, certificate and firewall; an authority of your own goes into NODE_EXTRA_CA_CERTS.',
    );
  }
}

function certificateOf(site: URL): Promise<PeerCertificate> {
  const { promise, resolve, reject } = Promise.withResolvers<PeerCertificate>();
  const host = site.hostname.replaceAll(/[[\]]/g, '');
  const isName = !/^[\d.]+$|:/.test(host);
  const socket = connect({ host, port: Number(site.port || HTTPS_PORT), ...(isName && { servername: host }) });
  socket.setTimeout(TIMEOUT_MS, () => socket.destroy(new Error(`no answer within ${TIMEOUT_MS} ms`)));
  socket.once('error', reject);
  socket.once('secureConnect', () => {
    resolve(socket.getPeerCertificate());
    socket.destroy();
  });
  return promise;
}
