import { connect, type PeerCertificate } from 'node:tls';
import type { Outside } from '../outside-config.ts';
import type { Clock } from '../platform/time.ts';
import { duration, type Finding, findingsOf } from './finding.ts';

const { good, warning, fault } = findingsOf('TLS');
const TIMEOUT_MS = 5_000;
const EXPIRES_SOON_SECONDS = 21 * 86_400;
const HTTPS_PORT = 443;
const LOCAL = /^(?:127\.|\[?::1\]?$|localhost$)/;

/** Checks the certificate of every https URL, own and of counterparties; plain http to another machine is a fault. */
export async function checkTls(outside: Outside, clock: Clock): Promise<Finding[]> {
  const sites = sitesIn(outside);
  const plain = sites.filter(({ protocol, hostname }) => protocol === 'http:' && !LOCAL.test(hostname));
  const secure = sites.filter(({ protocol }) => protocol === 'https:');
  const findings = [
    ...plain.map(({ origin }) =>
      fault(`${origin} is spoken to without encryption.`, 'Use its https address in the outside file.'),
    ),
    ...(await Promise.all(secure.map((site) => checkCertificate(site, clock)))),
  ];
  return findings.length > 0 ? findings : [good('No address leaves this machine.')];
}

/** Every address of the outside file, each origin once. */
function sitesIn(value: unknown): URL[] {
  const found = new Map<string, URL>();
  const visit = (part: unknown): void => {
    if (typeof part === 'object' && part !== null) for (const inner of Object.values(part)) visit(inner);
    else if (typeof part === 'string' && /^https?:\/\//.test(part) && URL.canParse(part)) {
      const url = new URL(part);
      found.set(url.origin, url);
    }
  };
  visit(value);
  return [...found.values()];
}

async function checkCertificate(site: URL, clock: Clock): Promise<Finding> {
  try {
    const { valid_to: until } = await certificateOf(site);
    const leftSeconds = (Date.parse(until) - clock.now().getTime()) / 1000;
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
