import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { CHILD_ENVIRONMENT } from '../harness/child-environment.ts';
import { writeOutside } from '../harness/outside-file.ts';
import { startSystem, type System } from '../harness/system.ts';

const ROOT = join(import.meta.dirname, '../../..');
/** Needs the machine itself: its services and its folder of backups. */
const OF_THE_MACHINE = /^(?:systemctl|krapao backup) .*\n/gm;

let system: System;
let directory: string;
before(async () => {
  system = await startSystem({
    outside: ({ bank, walletApp, ...outside }) => ({
      ...outside,
      bank: {
        ...bank,
        accounts: bank.accounts.map((account) => ({ ...account, accountNo: ownNumber(account.accountNo) })),
      },
      ...(walletApp && { walletApp: { ...walletApp, phone: '0899999999' } }),
    }),
  });
  directory = mkdtempSync(join(tmpdir(), 'krapao-go-live-'));
  writeOutside(join(directory, 'outside.json'), system.outside);
  const secrets = { encryptionKey: Buffer.alloc(32, 7).toString('base64') };
  writeFileSync(join(directory, 'secrets.json'), JSON.stringify(secrets), { mode: 0o600 });
  mkdirSync(join(directory, 'bin'));
  const command = `#!/bin/sh\nexec ${process.execPath} ${join(ROOT, 'server/src/cli/krapao.ts')} "$@"\n`;
  writeFileSync(join(directory, 'bin/krapao'), command);
  chmodSync(join(directory, 'bin/krapao'), 0o755);
});
after(async () => {
  rmSync(directory, { recursive: true });
  await system.stop();
});

const ownNumber = (accountNo: string): string => accountNo.replaceAll(/\d/g, (digit) => String(9 - Number(digit)));

/** Runs a block of the page as an operator's shell does. */
async function runBlock(block: string): Promise<{ status: number; output: string }> {
  const child = spawn('bash', ['-e', '-o', 'pipefail', '-c', block], {
    cwd: directory,
    env: {
      ...CHILD_ENVIRONMENT,
      PATH: `${join(directory, 'bin')}:${process.env['PATH'] ?? ''}`,
      DATA_DIR: directory,
      DATABASE_URL: system.databaseUrl,
      SIMULATORS: 'off',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += String(chunk)));
  const [status] = (await once(child, 'close')) as [number];
  return { status, output };
}

function edit(file: string, change: (text: string) => string): void {
  const path = join(directory, file);
  writeFileSync(path, change(readFileSync(path, 'utf8')));
}

/** What the page asks for in words, before the block that applies the file. */
const EDITS: Readonly<Record<string, () => void>> = {
  'config apply deposit-accounts': () =>
    edit('deposit-accounts.json', (text) =>
      text.replaceAll(
        /"accountNo": "(\d+)"/g,
        (_, accountNo: string) => `"accountNo": "${accountNo === '0800000001' ? '0899999999' : ownNumber(accountNo)}"`,
      ),
    ),
  'config apply $subject $subject.json NAME "our own texts"': () => {
    edit('setting:contact.json', (text) => text.replaceAll('krapao-demo', 'basil'));
    edit('setting:info.json', (text) => text.replace('Krapao', 'Basil'));
  },
};

test('the operator commands of go-live.md run as printed, and after them doctor has no fault of demo values or counterparties', async () => {
  const page = readFileSync(join(ROOT, 'docs/deploy/go-live.md'), 'utf8');
  const blocks = [...page.matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, block = '']) =>
    block.replaceAll(OF_THE_MACHINE, ''),
  );
  assert.ok(blocks.length >= 10);
  for (const block of blocks) {
    for (const [command, change] of Object.entries(EDITS)) if (block.includes(command)) change();
    // The test's own database is not durable, which doctor reports.
    const { status, output } = await runBlock(block.replaceAll(/^krapao doctor.*$/gm, '$& || true'));
    assert.equal(status, 0, `${block}\n${output}`);
  }
  const { output } = await runBlock('krapao doctor --calls || true');
  // The parties of this test are simulators.
  const otherOutput = output.replace(/^FAULT +demo values: \S+ is the address of the simulators: .*\n/m, '');
  assert.doesNotMatch(otherOutput, /^FAULT +(?:demo values|counterparties|calls|audit|reconcile)/m);
  assert.doesNotMatch(output, /banners:/);
  const wheel = await runBlock('krapao config show setting:spinwheel');
  assert.match(wheel.output, /"isActive": false,\s+"coinPer": \{\s+"BAHT": "0\.00",\s+"LAK": "0\.00"/);
  assert.match(output, /^right +counterparties: /m);
  assert.match(output, /^right +audit: [^]*^right +reconcile: /m);
});
