import { spawnSync } from 'node:child_process';
import { Sentence } from '../install.mjs';
import { mustRun } from './machine.mjs';

/** Interfaces have names of at most 15 characters. */
export const BRIDGE = 'krapao';
/** The deployment files say 10.0.0: here a network that few machines are in. */
export const PREFIX = '10.213.0';
/** This machine in that network: browsers, counterparties, and the load come from it. */
export const HOST_ADDRESS = `${PREFIX}.1`;

/** Makes the network that the machines are in. @throws {Sentence} another cluster runs */
export function makeNetwork() {
  if (spawnSync('ip', ['link', 'show', BRIDGE]).status === 0) {
    const { stdout } = spawnSync('ip', ['-o', 'link', 'show', 'master', BRIDGE], { encoding: 'utf8' });
    if (stdout.trim() !== '') throw new Sentence('A cluster runs on this machine already: stop that one first.');
    removeNetwork();
  }
  mustRun('ip', ['link', 'add', BRIDGE, 'type', 'bridge']);
  mustRun('ip', ['addr', 'add', `${HOST_ADDRESS}/24`, 'dev', BRIDGE]);
  mustRun('ip', ['link', 'set', BRIDGE, 'up']);
}

export function removeNetwork() {
  spawnSync('ip', ['link', 'del', BRIDGE]);
}
