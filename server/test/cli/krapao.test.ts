import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type CommandName, runKrapao } from '../../src/cli/krapao.ts';
import type { Environment } from '../../src/platform/config.ts';
import { type CommandResult, runCommand, runCommandProcess } from '../harness/command.ts';

const UNREACHABLE_DATABASE = { databaseUrl: 'postgresql://krapao@127.0.0.1:1/krapao' };

const runCli = (...argv: string[]) => runCliIn({}, ...argv);

async function runCliIn(environment: Environment, ...argv: string[]): Promise<CommandResult & { error: string }> {
  let [output, error] = ['', ''];
  const status = await runKrapao(argv, {
    environment,
    isTerminal: false,
    print: (text) => (output += text),
    printError: (text) => (error += text),
  });
  return { status, output, error };
}

test('krapao --help lists each command with a sentence, and so does an unknown command', async () => {
  const { status, output, error } = await runCli('--help');
  assert.deepEqual([status, error], [0, '']);
  const commands = output.slice(output.indexOf('Commands:')).trimEnd().split('\n').slice(1);
  assert.equal(commands.length, 25);
  assert.deepEqual(await runCli('help'), { status, output, error });
  for (const row of commands) assert.match(row, /^ {2}[a-z-]+ +[A-Z].*\.$/);
  const unknownResult = await runCli('audits');
  assert.equal(unknownResult.status, 1);
  assert.match(unknownResult.error, /^error: unknown command 'audits'\n/);
  assert.ok(unknownResult.error.endsWith(output));
  assert.equal((await runCli()).status, 1);
});

test('a command gets its arguments unchanged, options included', async () => {
  for (const args of [['--nothing'], ['--metrics'], ['-x', '--']]) {
    assert.deepEqual(await runCommand(UNREACHABLE_DATABASE, 'doctor', args), {
      status: 1,
      output: 'Write `krapao doctor`: its options are --calls and --metrics FILE.\n',
    });
  }
});

test('each command prints its usage for --help and ends with 0, without a database', async () => {
  const commands = (await runCli('--help')).output.matchAll(/^ {2}([a-z-]+) .*\.$/gm);
  let count = 0;
  for (const [, name = ''] of commands) {
    if (name === 'help') continue;
    count += 1;
    for (const args of [['--help'], ['-h'], ['show', '--help']]) {
      const { status, output, error } = await runCliIn({ DATABASE_URL: 'wrong' }, name, ...args);
      assert.deepEqual([status, error], [0, ''], name);
      assert.match(output, new RegExp(`krapao ${name}\\b`));
      assert.doesNotMatch(output, /positional|There is no|missing/);
    }
  }
  assert.equal(count, 24);
  const inClone = await runCliIn({ npm_lifecycle_event: 'krapao' }, 'config', '--help');
  assert.match(inClone.output, /^ {2}npm run krapao -- config list /m);
});

test('messages name commands as they are called: `krapao X`, in a clone `npm run krapao -- X`', async () => {
  const inClone = { npm_lifecycle_event: 'krapao' };
  const texts = async (...argv: string[]): Promise<(string | undefined)[]> =>
    (await Promise.all([runCliIn({}, ...argv), runCliIn(inClone, ...argv)])).map(({ error }) => error.split(',')[0]);
  assert.deepEqual(await texts('doctor', 'x'), [
    'Write `krapao doctor`: its options are --calls and --metrics FILE.\n',
    'Write `npm run krapao -- doctor`: its options are --calls and --metrics FILE.\n',
  ]);
  assert.deepEqual(await texts('outside', 'x'), [
    'APP_URL is missing. Usage: krapao outside FILE APP_URL OUTSIDE_URL',
    'APP_URL is missing. Usage: npm run krapao -- outside FILE APP_URL OUTSIDE_URL',
  ]);
  assert.match((await runCliIn({}, '--help')).output, /^Usage: krapao COMMAND …/);
  assert.match((await runCliIn(inClone, '--help')).output, /^Usage: npm run krapao -- COMMAND …/);
});

test('krapao ends with the status of its command and shows an expected failure without a stack', async () => {
  const { status, output } = await runCommandProcess(UNREACHABLE_DATABASE, 'audit');
  assert.equal(status, 1);
  assert.match(output, /^No PostgreSQL answers at DATABASE_URL \(ECONNREFUSED\)[^\n]*\n$/);
  assert.equal((await runCommandProcess(UNREACHABLE_DATABASE, '--help' as CommandName)).status, 0);
});

test('a data folder that is a file, below a file, or too long is refused in one sentence with its path', async () => {
  const file = fileURLToPath(import.meta.url);
  for (const [path, sentence] of [
    [file, `${file} is not a folder, or is in a file instead of one (EEXIST).\n`],
    [join(file, 'in'), `${file}/in is not a folder, or is in a file instead of one (ENOTDIR).\n`],
    [`/tmp/${'a'.repeat(256)}`, `/tmp/${'a'.repeat(256)} has a name that is too long (ENAMETOOLONG).\n`],
  ] as const) {
    assert.deepEqual(await runCliIn({ DATA_DIR: path }, 'migrate'), { status: 1, output: '', error: sentence });
  }
});

test('the units of systemd run commands that exist', async () => {
  const { output } = await runCli('--help');
  for (const name of ['audit', 'backup', 'backup-verify', 'doctor', 'reconcile']) {
    const [command = '', action = ''] = name.split('-');
    const unitFile = readFileSync(new URL(`../../../deploy/systemd/krapao-${name}.service`, import.meta.url), 'utf8');
    assert.match(unitFile, new RegExp(`/node server/src/cli/krapao\\.ts ${command} ${action}`));
    assert.match(output, new RegExp(`^ {2}${command} `, 'm'));
  }
});
