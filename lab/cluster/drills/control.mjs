import { rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { UserError } from '../../../tools/install.mjs';
import { DrillMachine } from './drill-machine.mjs';
import { aptGet, notify, systemctl } from './services.mjs';

const USAGE = 'Usage: machine list | off NAME | on NAME | add NAME ADDRESS | replace NAME\n';

/** Executes commands of the drills in the process of the cluster. */
export class DrillControl {
  #machines;

  constructor(folder, machines, addMachine) {
    Object.assign(this, { folder, addMachine });
    this.#machines = new Map(machines.map((machine) => [machine.name, machine]));
    this.#publish();
  }

  /** Listens on the socket that commands.mjs calls. @returns a function that ends it */
  async listen() {
    const path = join(this.folder, 'control.sock');
    rmSync(path, { force: true });
    const server = createServer({ allowHalfOpen: true }, (socket) => {
      socket.on('error', () => {});
      void this.#reply(socket).then((reply) => socket.end(JSON.stringify(reply)));
    });
    await new Promise((resolve) => server.listen(path, resolve));
    return () => server.close();
  }

  async #reply(socket) {
    try {
      const { machine, name, args } = await json(socket);
      if (name === 'apt-get') return aptGet(args);
      if (name === 'systemd-notify') return notify(this.#machines.get(machine), args);
      if (name === 'systemctl') return await systemctl(this.#machines.get(machine), args);
      return await this.#control(name === 'poweroff' ? ['off', machine] : args);
    } catch (error) {
      return { status: 1, output: `${error instanceof UserError ? error.message : error.stack}\n` };
    }
  }

  async #control([verb, name, address]) {
    if (verb === 'list') return { status: 0, output: this.#list() };
    const machine = this.#machines.get(name);
    if (verb === 'add') {
      if (machine || !address) return { status: 2, output: USAGE };
      await this.#create(name, address);
    } else if (!machine) return { status: 2, output: `There is no machine ${name}.\n${USAGE}` };
    else if (verb === 'off') await machine.powerOff();
    else if (verb === 'on') machine.powerOn();
    else if (verb === 'replace') await this.#replace(machine);
    else return { status: 2, output: USAGE };
    this.#publish();
    return { status: 0, output: '' };
  }

  /** A new machine with the address of another, whose disks are gone. */
  async #replace(machine) {
    await machine.tearDown();
    rmSync(machine.folder, { recursive: true, force: true });
    await this.#create(machine.name, machine.address);
  }

  async #create(name, address) {
    const machine = new DrillMachine({ name, address, folder: join(this.folder, name) });
    await this.addMachine(machine);
    this.#machines.set(name, machine);
  }

  #list() {
    const rows = [...this.#machines.values()].map(
      ({ name, address, isOn }) => `${name} ${address} ${isOn ? 'on' : 'off'}`,
    );
    return `${rows.join('\n')}\n`;
  }

  /** Writes what `ssh` reads. */
  #publish() {
    const rows = [...this.#machines.values()].map(({ name, address, isOn, anchorPid }) => ({
      name,
      address,
      isOn,
      anchorPid,
    }));
    writeFileSync(join(this.folder, 'machines.json'), JSON.stringify(rows));
  }
}
