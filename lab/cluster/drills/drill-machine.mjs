import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectNode, UserError } from '../../../tools/install.mjs';
import { NamespaceMachine } from '../machines/in-namespaces.mjs';

/** Programs of a Debian machine with systemd, which commands.mjs replaces. */
const MACHINE_COMMANDS = [
  'apt-get',
  'journalctl',
  'pg_dropcluster',
  'poweroff',
  'systemctl',
  'systemd-notify',
  'systemd-run',
  'systemd-tmpfiles',
];

const MOUNT_SCRIPT = `
set -e
mount -t overlay overlay -o lowerdir=/usr/local,upperdir=$F/usr-local,workdir=$F/usr-local.work /usr/local
mount --bind $F/backups /var/backups
`;

/** A machine on which the commands of docs/deploy run as printed: releases in /opt, units, programs of its own. */
export class DrillMachine extends NamespaceMachine {
  /** Whether it is switched on. */
  isOn = true;

  constructor(options) {
    super(options);
    for (const directory of ['usr-local/bin', 'usr-local/sbin', 'usr-local.work', 'backups', 'home'])
      mkdirSync(join(this.folder, directory), { recursive: true, mode: 0o755 });
    writeCommands(join(this.folder, 'usr-local/sbin'), MACHINE_COMMANDS, join(this.folder, '..'), this.name);
    // Under Debian's Node the build asks the registry for a newer one, which a machine can't reach.
    symlinkSync(projectNode(), join(this.folder, 'usr-local/bin/node'));
  }

  get program() {
    return '';
  }

  async setUp() {
    await super.setUp();
    await this.run(['sh', '-c', MOUNT_SCRIPT], { env: { F: this.folder } });
  }

  /** Installs a release as /opt/krapao, with its units and the wrapper of commands. */
  async installRelease(release) {
    const target = join(this.folder, 'opt/krapao-1');
    if (spawnSync('cp', ['-al', release, target]).status !== 0) throw new UserError(`${target} can't be written.`);
    await this.run(['ln', '-sfn', 'krapao-1', '/opt/krapao']);
    await this.run(['useradd', '--system', '--home-dir', '/var/lib/krapao', '--shell', '/usr/sbin/nologin', 'krapao']);
    await this.run([
      'install',
      '-d',
      '-o',
      'krapao',
      '-g',
      'krapao',
      '-m',
      '700',
      '/var/lib/krapao',
      '/var/backups/krapao',
    ]);
    await this.run(['install', '-d', '-o', 'krapao', '-g', 'krapao', '-m', '755', '/var/lib/krapao-metrics']);
    const script = `cd /opt/krapao/deploy/systemd && cp *.service *.timer /etc/systemd/system/ && install -m 755 krapao /usr/local/bin/krapao`;
    await this.run(['sh', '-c', script]);
  }

  async powerOff() {
    this.isOn = false;
    await super.powerOff();
  }

  powerOn() {
    this.isOn = true;
    super.powerOn();
  }
}

/** Writes programs that run commands.mjs with their own name. @param machine '' for the operator's own machine */
export function writeCommands(folder, names, clusterFolder, machine) {
  const program = join(import.meta.dirname, 'commands.mjs');
  for (const name of names) {
    const path = join(folder, name);
    writeFileSync(
      path,
      `#!/bin/sh\nexec '${projectNode()}' '${program}' '${clusterFolder}' '${machine}' ${name} "$@"\n`,
    );
    chmodSync(path, 0o755);
  }
}
