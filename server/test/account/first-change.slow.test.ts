import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { logIn, registerMember } from '../harness/members.ts';
import type { System, SystemOptions } from '../harness/system.ts';

// Applies the change of docs/first-change.md to a copy of the product.
const REPOSITORY_ROOT = join(import.meta.dirname, '../../..');
const PATCH_FILE = join(REPOSITORY_ROOT, 'server/test/fixtures/first-change/sessions.diff');
const COPIED_PATHS = ['contract', 'phrases', 'server', 'simulators', 'tools', 'web'];
/** The tests' PostgreSQL is shared: its address is derived from the real path of this file. */
const CLUSTER_FILE = 'server/test/harness/cluster.ts';

type SystemModule = { startSystem: (options: SystemOptions) => Promise<System> };

let copyFolder: string;
let system: System;
before(async () => {
  copyFolder = copyProduct();
  run('git', 'apply', '--unidiff-zero', PATCH_FILE);
  const { startSystem } = (await import(join(copyFolder, 'server/test/harness/system.ts'))) as SystemModule;
  system = await startSystem({ simulators: true });
});
after(async () => {
  await system?.stop();
  rmSync(copyFolder, { recursive: true, force: true });
});

/** A copy of the workspaces that resolves `@krapao/…` to itself, and other packages to the installed ones. */
function copyProduct(): string {
  const folder = mkdtempSync(join(tmpdir(), 'krapao-first-change-'));
  for (const name of [...COPIED_PATHS, 'package.json', 'tsconfig.base.json'])
    cpSync(join(REPOSITORY_ROOT, name), join(folder, name), {
      recursive: true,
      filter: (path) => !/\/(?:node_modules|dist)$/.test(path),
    });
  linkPackages(join(REPOSITORY_ROOT, 'node_modules'), join(folder, 'node_modules'));
  symlinkSync(join(REPOSITORY_ROOT, 'server/node_modules'), join(folder, 'server/node_modules'));
  for (const name of readdirSync(join(REPOSITORY_ROOT, 'node_modules/@krapao')))
    symlinkSync(join(folder, name), join(folder, 'node_modules/@krapao', name));
  rmSync(join(folder, CLUSTER_FILE));
  symlinkSync(join(REPOSITORY_ROOT, CLUSTER_FILE), join(folder, CLUSTER_FILE));
  return folder;
}

function linkPackages(from: string, to: string): void {
  mkdirSync(join(to, '@krapao'), { recursive: true });
  for (const name of readdirSync(from)) if (name !== '@krapao') symlinkSync(join(from, name), join(to, name));
}

function run(command: string, ...args: string[]): void {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: copyFolder, encoding: 'utf8' });
  assert.equal(status, 0, `${command} ${args.join(' ')}: ${stdout}${stderr}`);
}

test("the guide's endpoint compiles, and returns the number of devices where a member is logged in", async () => {
  for (const workspace of ['contract', 'phrases', 'server', 'web'])
    run(process.execPath, join(REPOSITORY_ROOT, 'node_modules/typescript/bin/tsc'), '-p', workspace);
  const member = await registerMember(system);
  const readCount = async (token: string): Promise<unknown> => {
    const response = await fetch(`${system.url}/api/account/sessions`, {
      headers: { authorization: `Bearer ${token}` },
    });
    return [response.status, ((await response.json()) as { count?: number }).count];
  };
  assert.deepEqual(await readCount(member.token), [200, 1]);
  await logIn(system, member.phone, member.password);
  assert.deepEqual(await readCount(member.token), [200, 2]);
  assert.deepEqual(await readCount('x'), [401, undefined]);
});
