import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openDatabase } from '../../src/platform/database/database.ts';
import { launchEmbeddedPostgres } from '../../src/platform/database/embedded-postgres/launch.ts';
import { type CommandResult, runCommandProcess } from '../harness/command.ts';

const runAudit = (command: 'audit' | 'migrate', dataDirectory: string): Promise<CommandResult> =>
  runCommandProcess({ databaseUrl: '' }, command, [], { DATA_DIR: dataDirectory });

test('the audit command reads a stopped and a running data folder, and ends with 1 when the books are wrong', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'krapao-audit-'));
  const data = join(folder, 'data');
  mkdirSync(data);
  try {
    assert.equal((await runAudit('migrate', data)).status, 0);
    const atRest = await runAudit('audit', data);
    assert.match(atRest.output, /checks, 0 wrong/);
    assert.equal(atRest.status, 0);
    const postgres = await launchEmbeddedPostgres({ directory: join(data, 'postgres') });
    const database = openDatabase({ url: postgres.url, size: 1 });
    await database.query(`insert into ledger.account (member_id, kind, currency, bounded, posted)
      values ('nobody', 'WALLET', 'BAHT', true, 5)`);
    const lockedResult = await runAudit('audit', data);
    assert.match(lockedResult.output, /WRONG: 1 +posted adds up to zero/);
    assert.equal(lockedResult.status, 1);
    await database.close();
    await postgres.stop();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
