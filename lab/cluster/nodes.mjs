import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { ROOT, UserError } from '../../tools/install.mjs';
import { deployFile, parseEnvironment, putFile, unitSetting } from './files.mjs';

const READY_TIMEOUT_MS = 120_000;
const POLL_MS = 250;
const REQUEST_TIMEOUT_MS = 2_000;
const NODE_PORT = 3000;
export const BUCKET_SETTINGS = 'S3_BUCKET=krapao-files\nS3_ACCESS_KEY_ID=REPLACE\nS3_SECRET_ACCESS_KEY=REPLACE\n';
/** Nodes and counterparties have lower priority than the database, which has its own processors in production. */
export const NICENESS = 5;

/** API nodes, started as deploy/systemd/krapao.service does. */
export class Nodes {
  /**
   * @param balancer its address @param proxy source address of its calls @param env settings added to deploy/systemd/krapao.env
   * @param older version that the nodes start with
   */
  constructor(machines, { authority, publicUrl, password, secretsFile, outsideFile, balancer, proxy, env, older }) {
    this.machines = machines;
    const unitText = readFileSync(join(ROOT, 'deploy/systemd/krapao.service'), 'utf8');
    this.directory = unitSetting(unitText, 'WorkingDirectory');
    for (const machine of machines) {
      const settings = deployFile('systemd/krapao.env', machine, [
        [`HOST=${machines[0].address}`, `HOST=${machine.address}`],
        ['https://play.example.com', publicUrl],
        ['krapao:REPLACE@', `krapao:${password}@`],
        [`TRUSTED_PROXIES=${balancer}`, `TRUSTED_PROXIES=${proxy}`],
        // No bucket: files of members stay on the node that received them.
        [BUCKET_SETTINGS, ''],
      ]);
      putFile(machine, 'etc/krapao/krapao.env', settings, 0o600);
      putFile(machine, 'etc/krapao/secrets.json', readFileSync(secretsFile), 0o600);
      putFile(machine, 'etc/krapao/outside.json', readFileSync(outsideFile), 0o600);
      putFile(machine, 'etc/krapao/ca.crt', readFileSync(authority.certificate));
      machine.service = {
        command: unitSetting(unitText, 'ExecStart').split(' '),
        directory: older?.directory ?? this.directory,
        niceness: NICENESS,
        env: {
          ...Object.fromEntries(parsePairs(unitSetting(unitText, 'Environment'))),
          ...parseEnvironment(settings),
          API_PROCESSES: '1',
          ...env,
        },
      };
    }
  }

  /** Starts nodes in sequence: the first one migrates. */
  async start() {
    for (const machine of this.machines) {
      await machine.run(['mkdir', '-p', '/var/lib/krapao']);
      machine.start('krapao', machine.service);
      await this.ready(machine);
    }
  }

  /** Sets the version for the next start of a node. */
  useVersion(machine, directory) {
    machine.service = { ...machine.service, directory };
    machine.change('krapao', machine.service);
  }

  /** Resolves when a node is ready. @throws {UserError} timeout */
  async ready(machine, timeoutMs = READY_TIMEOUT_MS) {
    for (let waitedMs = 0; waitedMs < timeoutMs; waitedMs += POLL_MS) {
      const reply = await fetch(`${urlOf(machine)}/health/ready`, {
        signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
      }).catch(() => {});
      if (reply?.ok) return;
      await wait(POLL_MS);
    }
    throw new UserError(
      `${machine.name} is not ready within ${timeoutMs / 1_000} s: see ${machine.folder}/log/krapao.log.`,
    );
  }
}

/** Address of a node behind the balancer. */
export const urlOf = ({ address }) => `http://${address}:${NODE_PORT}`;

const parsePairs = (text) => text.split(' ').map((pair) => pair.split('='));
