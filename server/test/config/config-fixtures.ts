import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CommandResult, runCommandStreams } from '../harness/command.ts';
import { writeOutside } from '../harness/outside-file.ts';
import type { System } from '../harness/system.ts';

export const SIGNATURE = ['nok', 'asked', 'by', 'the', 'owner'] as const;

/** Runs `krapao config` with an outside file and a folder. `output` of a success is standard output. */
export type ConfigRunner = {
  run(...args: readonly string[]): Promise<CommandResult>;
  /** The document in force. */
  show<Document = never>(subject: string): Promise<Document>;
  /** Writes a document and returns its path. */
  write(document: unknown): string;
  apply(subject: string, document: unknown, ...options: string[]): Promise<CommandResult>;
  /** Applies a document over the newest version. */
  applyOverNewest(subject: string, document: unknown, ...options: string[]): Promise<CommandResult>;
  /** Applies a document that must be accepted. */
  applied(subject: string, document: unknown, ...options: string[]): Promise<string>;
  environment: Readonly<Record<string, string>>;
  remove(): void;
};

export function configRunner(system: Pick<System, 'databaseUrl' | 'outside'>): ConfigRunner {
  const folder = mkdtempSync(join(tmpdir(), 'krapao-config-'));
  const outsideFile = join(folder, 'outside.json');
  writeOutside(outsideFile, system.outside);
  const environment = { OUTSIDE_FILE: outsideFile };
  const run: ConfigRunner['run'] = async (...args) => {
    const { status, output, stdout } = await runCommandStreams(system, 'config', args, environment);
    return { status, output: status === 0 ? stdout : output };
  };
  let fileCount = 0;
  const write = (document: unknown): string => {
    fileCount += 1;
    const path = join(folder, `document-${fileCount}.json`);
    const isRaw = typeof document === 'string' || document instanceof Uint8Array;
    writeFileSync(path, isRaw ? document : JSON.stringify(document));
    return path;
  };
  const apply: ConfigRunner['apply'] = (subject, document, ...options) =>
    run('apply', subject, write(document), ...options, ...SIGNATURE);
  const applyOverNewest: ConfigRunner['apply'] = async (subject, document, ...options) => {
    const first = await apply(subject, document, ...options);
    // What a test changed by SQL is a version that the operator has to name.
    const from = /then apply with `--from (\d+)`/.exec(first.output)?.[1];
    return from === undefined ? first : apply(subject, document, '--from', from);
  };
  return {
    run,
    async show(subject) {
      const { status, output } = await run('show', subject);
      assert.equal(status, 0, output);
      return JSON.parse(output) as never;
    },
    write,
    apply,
    applyOverNewest,
    async applied(subject, document, ...options) {
      const { status, output } = await applyOverNewest(subject, document, ...options);
      assert.equal(status, 0, output);
      return output;
    },
    environment,
    remove: () => rmSync(folder, { recursive: true }),
  };
}

/** The problems of a refused document, each as `path: message`. */
export function problemsOf({ status, output }: CommandResult): string[] {
  assert.equal(status, 1, output);
  assert.match(output, /^Nothing is changed\. .* is wrong:\n/);
  return output
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => line.trim());
}
