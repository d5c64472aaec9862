import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { mustRun } from './processes.mjs';

const VALID_DAYS = '3650';

/** A certificate authority in a folder; created on first use. */
export class Authority {
  constructor(folder) {
    this.folder = folder;
    this.certificate = join(folder, 'ca.crt');
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (existsSync(this.certificate)) return;
    const key = join(folder, 'ca.key');
    const subject = ['-subj', '/CN=Krapao test cluster'];
    runOpenssl('req', '-x509', ...newKey(key), ...subject, '-days', VALID_DAYS, '-out', this.certificate);
  }

  /**
   * Returns key and certificate of a server as PEM files; creates them on first use.
   * @param addresses all addresses that clients use, including the balancer's
   */
  issue(name, addresses) {
    const [key, request, certificate, extensions] = ['key', 'csr', 'crt', 'ext'].map((extension) =>
      join(this.folder, `${name}.${extension}`),
    );
    if (!existsSync(certificate)) {
      writeFileSync(extensions, `subjectAltName=${addresses.map((address) => `IP:${address}`).join(',')}\n`);
      runOpenssl('req', ...newKey(key), '-subj', `/CN=${name}`, '-out', request);
      const issuerOptions = ['-CA', this.certificate, '-CAkey', join(this.folder, 'ca.key'), '-CAcreateserial'];
      runOpenssl(
        'x509',
        '-req',
        '-in',
        request,
        ...issuerOptions,
        '-days',
        VALID_DAYS,
        '-extfile',
        extensions,
        '-out',
        certificate,
      );
    }
    return { key, certificate };
  }
}

const newKey = (path) => ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', path];

function runOpenssl(...args) {
  mustRun('openssl', args);
}
