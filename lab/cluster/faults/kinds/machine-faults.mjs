import { setTimeout as wait } from 'node:timers/promises';

/** Suspends all processes of a machine for some ms. */
export async function freeze(machine, ms) {
  machine.freeze();
  await wait(ms);
  machine.thaw();
}

/** Drops all packets of a machine for some ms, without a reset. */
export async function cutOff(machine, ms) {
  await machine.cutOff();
  await wait(ms);
  await machine.reconnect();
}

/** Kills all processes of a machine and restarts it after some ms. */
export async function powerCycle(machine, ms) {
  await machine.powerOff();
  await wait(ms);
  machine.powerOn();
}
