import { join } from 'node:path';
import { readOutsideFile } from './outside/outside-file.ts';
import { type Simulators, startSimulators } from './server.ts';

function exitWith(sentence: string): never {
  process.stderr.write(`${sentence}\n`);
  process.exit(1);
}

/** Reads an environment variable; an empty value counts as unset, as in the server. */
function readSetting(name: string, fallback: string): string {
  return process.env[name]?.trim() || fallback;
}

function readPort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  return port <= 65_535 ? port : exitWith(`SIMULATORS_PORT must be a port number from 0 to 65535, not "${text}".`);
}

function sentenceOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EADDRINUSE')
    return `SIMULATORS_PORT ${readSetting('SIMULATORS_PORT', '3100')} is taken by another process.`;
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return 'HOST is not an address of this machine: leave it out, or set it to 0.0.0.0.';
  return `The simulators can't start: ${error instanceof Error ? error.message : String(error)}`;
}

async function start(): Promise<Simulators> {
  const dataDir = readSetting('DATA_DIR', './data');
  const outsideFile = readSetting('OUTSIDE_FILE', join(dataDir, 'outside.json'));
  const host = readSetting('HOST', '127.0.0.1');
  const port = readPort(readSetting('SIMULATORS_PORT', '3100'));
  try {
    return await startSimulators({ port, host, dataDir, outside: readOutsideFile(outsideFile) });
  } catch (error) {
    return exitWith(sentenceOf(error));
  }
}

const simulators = await start();
// The parent process waits for this message.
process.send?.({ ready: simulators.address });
process.stdout.write(`simulators ready ${simulators.address}\n`);
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.once(signal, () => {
    void simulators.close().then(() => process.exit(0));
  });
}
