import { readFileSync } from 'node:fs';
import { deployFile, putFile } from './files.mjs';

/** Without systemd the limit of open files may be as low as 10,000. */
const FEWER = [['maxconn 20000', 'maxconn 4000']];

/** HAProxy in front of the nodes and of the database, with deploy/haproxy/haproxy.cfg. */
export function startBalancer(machine, authority) {
  const { key, certificate } = authority.issue('balancer', [machine.address]);
  const pem = Buffer.concat([readFileSync(certificate), readFileSync(key)]);
  putFile(machine, 'etc/haproxy/haproxy.cfg', deployFile('haproxy/haproxy.cfg', FEWER));
  putFile(machine, 'etc/haproxy/krapao.pem', pem, 0o600);
  machine.start('haproxy', { command: ['/usr/sbin/haproxy', '-db', '-f', '/etc/haproxy/haproxy.cfg'] });
}
