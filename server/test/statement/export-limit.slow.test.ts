import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { EXPORT_LINES_MAX, exportFormats } from '@krapao/contract/statement';
import type { Ledger } from '../../src/ledger/index.ts';
import { registerMember, type TestMember } from '../harness/members.ts';
import { createTestLedger } from '../harness/money.ts';
import { startSystem, type System } from '../harness/system.ts';
import { ledgerAccountsOf } from '../ledger/books.ts';
import { parseCsv } from './parse-csv.ts';

const DAY_MS = 24 * 3_600_000;
const CONCURRENT_POSTS = 500;
const POLL_MS = 200;

let system: System;
let ledger: Ledger;
let member: TestMember;
before(async () => {
  system = await startSystem();
  ledger = createTestLedger(system);
  member = await registerMember(system);
  const { deposit } = ledgerAccountsOf(member.id);
  // References of UUIDs are longer than their column: each is broken into lines.
  for (let left = EXPORT_LINES_MAX; left > 0; left -= CONCURRENT_POSTS)
    await Promise.all(Array.from({ length: CONCURRENT_POSTS }, () => ledger.post(deposit(randomUUID(), 101n))));
});
after(async () => {
  await ledger.close();
  await system.stop();
});

async function exported(body: object): Promise<{ state: string; lines: number; reason: string | null; url: string }> {
  const period = {
    from: new Date(Date.now() - DAY_MS).toISOString(),
    until: new Date(Date.now() + DAY_MS).toISOString(),
  };
  const reply = await system.api('POST /api/statement/export', {
    token: member.token,
    body: { language: 'la', ...period, ...body },
  });
  assert.equal(reply.status, 202, JSON.stringify(reply.body));
  for (;;) {
    const { body: status } = await system.api(`GET /api/statement/export/${reply.body.id}`, { token: member.token });
    if (status.state !== 'RUNNING') return status;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

test('a file of each format holds as many movements as the limit; one more is refused with the reason [R-WALLET-06]', async () => {
  for (const format of exportFormats) {
    const { state, lines, reason, url } = await exported({ format });
    assert.deepEqual([state, lines, reason], ['DONE', EXPORT_LINES_MAX, null], format);
    const bytes = Buffer.from(await (await fetch(url)).arrayBuffer());
    if (format === 'csv') assert.equal(parseCsv(bytes.toString('utf8')).length, EXPORT_LINES_MAX + 1);
    else assert.match(bytes.subarray(-1_024).toString('latin1'), /%%EOF\s*$/);
  }
  await ledger.post(ledgerAccountsOf(member.id).deposit(randomUUID(), 1n));
  for (const format of exportFormats) {
    const { state, lines, reason, url } = await exported({ format });
    assert.deepEqual([state, lines, reason, url], ['FAILED', null, 'TOO_MANY_LINES', null], format);
  }
});
