import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT } from '../../tools/install.mjs';

/**
 * Reads a file of `deploy` and replaces its addresses by those of a machine's network.
 * @param changes pairs of text and replacement
 * @throws {Error} a text does not occur
 */
export function deployFile(path, { address }, changes = []) {
  const networkPrefix = address.slice(0, address.lastIndexOf('.') + 1);
  const text = readFileSync(join(ROOT, 'deploy', path), 'utf8').replaceAll('10.0.0.', networkPrefix);
  return changes.reduce((currentText, [from, to]) => {
    if (!currentText.includes(from)) throw new Error(`deploy/${path} does not contain "${from}"`);
    return currentText.replaceAll(from, to);
  }, text);
}

/** Parses an environment file as systemd does. */
export function parseEnvironment(text) {
  const lines = text.split('\n').filter((line) => /^[A-Z]/.test(line));
  return Object.fromEntries(
    lines.map((line) => {
      const [name, value] = [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)];
      return [name, value.replace(/^(["'])(.*)\1$/, '$2')];
    }),
  );
}

/** Value of a setting in a systemd unit. */
export function unitSetting(unit, name) {
  return new RegExp(`^${name}=(.*)$`, 'm').exec(unit)[1];
}

/** Writes a file of a machine; text gets its local paths. @param path below its folder @param mode as for chmod */
export function putFile(machine, path, content, mode = 0o644) {
  const target = join(machine.folder, path);
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, typeof content === 'string' ? machine.localize(content) : content, { mode });
}
