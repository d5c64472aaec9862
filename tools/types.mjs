// `npm run types`: type-checks every workspace without output.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectNode, ROOT } from './install.mjs';

const AT_ONCE = 2;
const { workspaces } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
const remainingWorkspaces = [...workspaces];
let failedCount = 0;

await Promise.all(Array.from({ length: AT_ONCE }, compileNext));
process.exitCode = failedCount === 0 ? 0 : 1;

async function compileNext() {
  for (let workspace = remainingWorkspaces.shift(); workspace; workspace = remainingWorkspaces.shift()) {
    const { status, output } = await compile(workspace);
    console.log(`${status === 0 ? '✔' : '✖'} types of ${workspace}`);
    if (status === 0) continue;
    console.log(output.trimEnd().replaceAll(/^/gm, '    '));
    failedCount += 1;
  }
}

function compile(workspace) {
  const tscPath = join(ROOT, 'node_modules/typescript/bin/tsc');
  const child = spawn(projectNode(), [tscPath, '-p', workspace], { cwd: ROOT });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text));
  return new Promise((resolve) => child.once('close', (status) => resolve({ status, output })));
}
