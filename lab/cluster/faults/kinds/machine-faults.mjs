import { setTimeout as wait } from 'node:timers/promises';

/** Stops every process of a machine for a while. */
export async function frozen(machine, ms) {
  machine.freeze();
  await wait(ms);
  machine.thaw();
}

/** Drops every packet from and to a machine for a while, without a reset. */
export async function cutOff(machine, ms) {
  await machine.cutOff();
  await wait(ms);
  await machine.reconnect();
}

/** Kills everything on a machine, and starts it after a while. */
export async function poweredOff(machine, ms) {
  await machine.powerOff();
  await wait(ms);
  machine.powerOn();
}
