// `node tools/run.mjs FILE …`: runs a program of the project under its own Node.
import { spawn } from 'node:child_process';
import { ensureInstalled, projectNode, UserError } from './install.mjs';

try {
  ensureInstalled(console.error);
  const child = spawn(projectNode(), process.argv.slice(2), { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
  child.once('exit', (code) => process.exit(code ?? 1));
} catch (error) {
  console.error(error instanceof UserError ? error.message : error.stack);
  process.exit(1);
}
