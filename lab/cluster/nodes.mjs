import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { ROOT, Sentence } from '../../tools/install.mjs';
import { deployFile, environmentOf, putFile, unitLine } from './files.mjs';

const READY_WITHIN_MS = 120_000;
const POLL_MS = 250;
const ASK_MS = 2_000;
const PORT = 3000;
/** Machines of the database have processors of their own: on this one they go before nodes and counterparties. */
export const NICENESS = 5;

/** API nodes, each as deploy/systemd/krapao.service starts one. */
export class Nodes {
  /**
   * @param balancer its address @param proxy where its calls come from @param env settings beside those of deploy/systemd/krapao.env
   * @param older version that the nodes begin with
   */
  constructor(machines, { authority, publicUrl, password, secretsFile, outsideFile, balancer, proxy, env, older }) {
    this.machines = machines;
    const unit = readFileSync(join(ROOT, 'deploy/systemd/krapao.service'), 'utf8');
    this.directory = unitLine(unit, 'WorkingDirectory');
    for (const machine of machines) {
      const settings = environmentOf(
        deployFile('systemd/krapao.env', machine, [
          [`HOST=${machines[0].address}`, `HOST=${machine.address}`],
          ['https://play.example.com', publicUrl],
          ['krapao:REPLACE@', `krapao:${password}@`],
          [`TRUSTED_PROXIES=${balancer}`, `TRUSTED_PROXIES=${proxy}`],
          // No bucket here: files of members stay with the node that took them.
          ['S3_BUCKET=krapao-files\nS3_ACCESS_KEY_ID=REPLACE\nS3_SECRET_ACCESS_KEY=REPLACE\n', ''],
        ]),
      );
      putFile(machine, 'etc/krapao/secrets.json', readFileSync(secretsFile), 0o600);
      putFile(machine, 'etc/krapao/outside.json', readFileSync(outsideFile), 0o600);
      putFile(machine, 'etc/krapao/ca.crt', readFileSync(authority.certificate));
      machine.service = {
        command: unitLine(unit, 'ExecStart').split(' '),
        directory: older?.directory ?? this.directory,
        niceness: NICENESS,
        env: { ...Object.fromEntries(pairsOf(unitLine(unit, 'Environment'))), ...settings, API_PROCESSES: '1', ...env },
      };
    }
  }

  /** The first migrates alone. */
  async start() {
    for (const machine of this.machines) {
      await machine.run(['mkdir', '-p', '/var/lib/krapao']);
      machine.start('krapao', machine.service);
      await this.ready(machine);
    }
  }

  /** The version that a node runs from its next start on. */
  useVersion(machine, directory) {
    machine.service = { ...machine.service, directory };
    machine.change('krapao', machine.service);
  }

  /** Resolves when a node serves. @throws {Sentence} */
  async ready(machine, withinMs = READY_WITHIN_MS) {
    for (let waited = 0; waited < withinMs; waited += POLL_MS) {
      const reply = await fetch(`${urlOf(machine)}/health/ready`, { signal: AbortSignal.timeout(ASK_MS) }).catch(
        () => {},
      );
      if (reply?.ok) return;
      await wait(POLL_MS);
    }
    throw new Sentence(
      `${machine.name} is not ready within ${withinMs / 1_000} s: see ${machine.folder}/log/krapao.log.`,
    );
  }
}

/** Address of a node behind the balancer. */
export const urlOf = ({ address }) => `http://${address}:${PORT}`;

const pairsOf = (words) => words.split(' ').map((word) => word.split('='));
