import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type CommandName, runKrapao } from '../../src/cli/krapao.ts';
import { queues } from '../../src/inventory.ts';
import { runCommand } from '../harness/command.ts';
import { startSystem, type System } from '../harness/system.ts';

const ROOT = join(import.meta.dirname, '../../..');
const FOLDERS = ['docs/runbooks', 'docs/deploy'];
/** Commands that read whole statements, or write backups, databases and secrets: only their names are checked. */
const NOT_RUN: readonly string[] = [
  'audit',
  'backup',
  'copy-database',
  'doctor',
  'migrate',
  'outside',
  'reconcile',
  'reencrypt',
  'restore',
];
/** A command shows its usage when it does not understand its arguments. */
const USAGE = /^(?:Write\b|Usage\b|error: unknown)/m;

/** Replaces standard input that no earlier command of the page wrote. */
const EMPTY_FILE = 'empty.json';

type PrintedCommand = { page: string; line: string; args: string[]; outputFile: string | undefined };

let system: System;
let folder: string;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'krapao-printed-'));
  writeFileSync(join(folder, 'buttons.json'), '{"message_type":"text","payload":{"text":"…"}}');
  writeFileSync(join(folder, EMPTY_FILE), '{}');
  system = await startSystem({ simulators: false });
});
after(async () => {
  await system?.stop();
  rmSync(folder, { recursive: true });
});

const pages = FOLDERS.flatMap((name) => readdirSync(join(ROOT, name)).map((file) => `${name}/${file}`)).filter((path) =>
  path.endsWith('.md'),
);

/** The commands of a page in its order, from blocks and from inline code. */
function printedCommands(page: string): PrintedCommand[] {
  const text = readFileSync(join(ROOT, page), 'utf8');
  const lines = [...text.matchAll(/^ *```sh\n([\s\S]*?)^ *```$|(?<!`)`(krapao [^`]+)`/gm)].flatMap(
    ([, block, inline]) => (block ?? inline ?? '').split('\n'),
  );
  return lines.flatMap((line) => {
    const command = /^\s*(?:npm run (?:--silent )?krapao --|krapao) +([a-z][^#|&;]*)/.exec(
      line.replaceAll(/\s+/g, ' '),
    )?.[1];
    if (command === undefined) return [];
    const [writtenText = '', outputFile] = command.split(' > ');
    const [commandText = '', inputFile = EMPTY_FILE] = writtenText.split(' < ');
    const words = [...commandText.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)];
    // A test has no standard input: the command reads the file itself.
    const args = words
      .map(([, single, double, bare]) => single ?? double ?? bare ?? '')
      .map((word) => (word === '-' ? inputFile.trim() : word));
    return [{ page, line: line.trim(), args, outputFile: outputFile?.trim() }];
  });
}

/** Replaces placeholders, and files by those that an earlier command of the page wrote. */
function concreteArgs(args: readonly string[]): string[] {
  return args.map((arg) => {
    if (arg === 'WHY') return 'because of this';
    return arg.endsWith('.json') && existsSync(join(folder, arg)) ? join(folder, arg) : arg;
  });
}

async function isCommand(name: string): Promise<boolean> {
  let help = '';
  const print = (text: string): void => void (help += text);
  await runKrapao(['--help'], { environment: {}, isTerminal: false, print, printError: print });
  return new RegExp(`^ {2}${name} `, 'm').test(help);
}

test('printed commands exist, and list, decision and document commands accept the printed arguments [R-OPS-06]', async () => {
  const commands = pages.flatMap(printedCommands);
  assert.ok(commands.length > 80, `only ${commands.length} commands were found`);
  for (const { page, line, args, outputFile } of commands) {
    const [name = '', ...rest] = concreteArgs(args);
    const title = `${page}: ${line}`;
    assert.ok(await isCommand(name), title);
    if (NOT_RUN.includes(name)) continue;
    const { output } = await runCommand(system, name as CommandName, rest);
    assert.doesNotMatch(output, USAGE, title);
    if (outputFile !== undefined) writeFileSync(join(folder, outputFile), output);
  }
});

test('every kind of waiting item has a command and a page that print it [R-OPS-06]', async () => {
  for (const { queue, operatedBy } of queues) {
    const [, command = '', page = ''] = /^krapao ([a-z-]+)[^(]*\(([\w/.-]+\.md)[^)]*\)/.exec(operatedBy) ?? [];
    assert.ok(await isCommand(command), `${queue}: ${operatedBy}`);
    assert.ok(existsSync(join(ROOT, page)), `${queue}: ${operatedBy}`);
    assert.ok(
      printedCommands(page).some(({ args: [name] }) => name === command),
      `${queue}: ${page} prints no krapao ${command}`,
    );
  }
});
