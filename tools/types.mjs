// Compiles every workspace, emitting nothing: `npm run types`.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectNode, ROOT } from './install.mjs';

const AT_ONCE = 2;
const { workspaces } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
const waiting = [...workspaces];
let failed = 0;

await Promise.all(Array.from({ length: AT_ONCE }, work));
process.exitCode = failed === 0 ? 0 : 1;

async function work() {
  for (let workspace = waiting.shift(); workspace; workspace = waiting.shift()) {
    const { status, output } = await compile(workspace);
    console.log(`${status === 0 ? '✔' : '✖'} types of ${workspace}`);
    if (status === 0) continue;
    console.log(output.trimEnd().replaceAll(/^/gm, '    '));
    failed += 1;
  }
}

function compile(workspace) {
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  const child = spawn(projectNode(), [tsc, '-p', workspace], { cwd: ROOT });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text));
  return new Promise((resolve) => child.once('close', (status) => resolve({ status, output })));
}
