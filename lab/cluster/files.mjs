import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT } from '../../tools/install.mjs';

/**
 * A file of `deploy` with the addresses of a machine's network.
 * @param changes pairs of what the file says and what it is to say; each must occur, so that no change is lost unnoticed
 */
export function deployFile(path, { address }, changes = []) {
  const network = address.slice(0, address.lastIndexOf('.') + 1);
  const text = readFileSync(join(ROOT, 'deploy', path), 'utf8').replaceAll('10.0.0.', network);
  return changes.reduce((so, [from, to]) => {
    if (!so.includes(from)) throw new Error(`deploy/${path} does not say "${from}"`);
    return so.replaceAll(from, to);
  }, text);
}

/** Variables of an environment file, as systemd reads it. */
export function environmentOf(text) {
  const lines = text.split('\n').filter((line) => /^[A-Z]/.test(line));
  return Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]));
}

/** Value of a line of a systemd unit. */
export function unitLine(unit, name) {
  return new RegExp(`^${name}=(.*)$`, 'm').exec(unit)[1];
}

/** Writes a file of a machine, text with the places of that machine. @param path below its folder @param mode as of chmod */
export function putFile(machine, path, content, mode = 0o644) {
  const whole = join(machine.folder, path);
  mkdirSync(dirname(whole), { recursive: true });
  writeFileSync(whole, typeof content === 'string' ? machine.place(content) : content, { mode });
}
