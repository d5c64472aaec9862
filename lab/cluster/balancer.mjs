import { readFileSync } from 'node:fs';
import { deployFile, putFile } from './files.mjs';

/** Without systemd the open-files limit may be as low as 10,000. */
export const SMALLER_LIMITS = [['maxconn 20000', 'maxconn 4000']];

/** Starts HAProxy for the nodes and the database with deploy/haproxy/haproxy.cfg. @param ports `http` and `https` */
export function startBalancer(machine, authority, { http, https }) {
  const { key, certificate } = authority.issue('balancer', [machine.address]);
  const pemBundle = Buffer.concat([readFileSync(certificate), readFileSync(key)]);
  const ports = [
    ['bind :80', `bind ${machine.address}:${http}`],
    ['bind :443', `bind ${machine.address}:${https}`],
    ['bind :5000', `bind ${machine.address}:5000`],
  ];
  putFile(
    machine,
    'etc/haproxy/haproxy.cfg',
    deployFile('haproxy/haproxy.cfg', machine, [...SMALLER_LIMITS, ...ports]),
  );
  putFile(machine, 'etc/haproxy/krapao.pem', pemBundle, 0o600);
  machine.start('haproxy', { command: ['/usr/sbin/haproxy', '-db', '-f', '/etc/haproxy/haproxy.cfg'] });
}
