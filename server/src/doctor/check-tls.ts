import { connect, type PeerCertificate } from 'node:tls';
import type { Outside } from '../outside-config.ts';
import type { Clock } from '../platform/time.ts';
import { formatDuration, type Finding, createFindingFactory } from './finding.ts';
import { collectSites, isOwnMachine, listFields, type Site } from './sites.ts';

const { good, warning, fault } = createFindingFactory('TLS');
const TIMEOUT_MS = 5_000;
const EXPIRES_SOON_SECONDS = 21 * 86_400;
const HTTPS_PORT = 443;

/** Checks the certificate of every https URL, own and of counterparties. Plain http is never right. */
export async function checkTls(outside: Outside, storageUrl: string | undefined, clock: Clock): Promise<Finding[]> {
  const sites = collectSites({ ...outside, ...(storageUrl !== undefined && { S3_ENDPOINT: storageUrl }) });
  return Promise.all(sites.map((site) => checkSite(site, clock)));
}

async function checkSite(site: Site, clock: Clock): Promise<Finding> {
  return site.url.protocol === 'http:' ? httpFinding(site) : checkCertificate(site, clock);
}

function httpFinding({ url: { origin, hostname }, fields }: Site): Finding {
  const remedy = `Use its https address: ${listFields(fields)}.`;
  return isOwnMachine(hostname)
    ? warning(`${origin} is plain http: nothing outside this machine may use it.`, remedy)
    : fault(`${origin} is spoken to without encryption.`, remedy);
}

async function checkCertificate({ url }: Site, clock: Clock): Promise<Finding> {
  try {
    const { valid_to: validUntil } = await certificateOf(url);
    const leftSeconds = (Date.parse(validUntil) - clock.now().getTime()) / 1000;
    const sentence = `The certificate of ${url.origin} holds for ${formatDuration(leftSeconds)}.`;
    if (leftSeconds < EXPIRES_SOON_SECONDS) return warning(sentence, 'Renew it, and see why that is not automatic.');
    return good(sentence);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return fault(
      `${url.origin} has no connection that can be trusted (${code ?? message}).`,
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
