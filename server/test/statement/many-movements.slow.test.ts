import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import type { Ledger } from '../../src/ledger/index.ts';
import { registerMember, type TestMember } from '../harness/members.ts';
import { createTestLedger } from '../harness/money.ts';
import { startSystem, type System } from '../harness/system.ts';
import { ledgerAccountsOf } from '../ledger/books.ts';
import { parseCsv } from './parse-csv.ts';

const DAY_MS = 24 * 3_600_000;
const CONCURRENT_POSTS = 500;
const POLL_MS = 200;
const OLDEST = 'OLDEST-MOVEMENT';

let system: System;
let ledger: Ledger;
let member: TestMember;
/** After 39,501 movements, before 20,500. */
let border: string;
before(async () => {
  system = await startSystem();
  ledger = createTestLedger(system);
  member = await registerMember(system);
  const { deposit } = ledgerAccountsOf(member.id);
  await ledger.post({ ...deposit(randomUUID(), 7_777n), reference: OLDEST });
  // References of UUIDs are longer than their column: each is broken into lines.
  for (let made = 0; made < 60_000; made += CONCURRENT_POSTS) {
    if (made === 39_500) {
      border = new Date(Date.now() + 1).toISOString();
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
    await Promise.all(Array.from({ length: CONCURRENT_POSTS }, () => ledger.post(deposit(randomUUID(), 101n))));
  }
});
after(async () => {
  await ledger.close();
  await system.stop();
});

type Part = { name: string; lines: number; bytes: Buffer };

async function exportedParts(format: 'csv' | 'pdf', start?: string): Promise<Part[]> {
  const { token } = member;
  const [dayAgo, until] = [Date.now() - DAY_MS, Date.now() + DAY_MS].map((ms) => new Date(ms).toISOString());
  const from = start ?? dayAgo;
  const reply = await system.api('POST /api/statement/export', {
    token,
    body: { format, language: 'en', from, until },
  });
  assert.equal(reply.status, 202, JSON.stringify(reply.body));
  for (;;) {
    const { body } = await system.api(`GET /api/statement/export/${reply.body.id}`, { token });
    if (body.state === 'RUNNING') {
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      continue;
    }
    assert.deepEqual([body.state, body.lines, body.url], ['DONE', start ? 20_500 : 60_001, body.parts[0].url]);
    return Promise.all(
      (body.parts as { url: string; lines: number }[]).map(async ({ url, lines }) => {
        const file = await fetch(url);
        const [, name = ''] = /filename="(.*)"/.exec(file.headers.get('content-disposition') ?? '') ?? [];
        return { name, lines, bytes: Buffer.from(await file.arrayBuffer()) };
      }),
    );
  }
}

test('60,001 movements fill four numbered CSV parts that add up to the wallet [R-WALLET-06]', async () => {
  const parts = await exportedParts('csv');
  assert.deepEqual(
    parts.map(({ name, lines }) => [name, lines]),
    [
      ['krapao-statement-part-1-of-4.csv', 20_000],
      ['krapao-statement-part-2-of-4.csv', 20_000],
      ['krapao-statement-part-3-of-4.csv', 20_000],
      ['krapao-statement-part-4-of-4.csv', 1],
    ],
  );
  let total = 0;
  const references = new Set<string | undefined>();
  for (const { bytes, lines } of parts) {
    const rows = parseCsv(bytes.toString('utf8')).slice(1);
    assert.equal(rows.length, lines);
    for (const cells of rows) {
      total += Math.round(Number(cells[5]) * 100);
      assert.equal(cells[7], (total / 100).toFixed(2));
      references.add(cells[10]);
    }
  }
  assert.equal(references.size, 60_001);
  assert.equal(total, 7_777 + 60_000 * 101);
  const { body } = await system.api('GET /api/wallet', { token: member.token });
  assert.equal(Math.round(body.wallet.amount * 100), total);
});

test('each PDF part has its number and opens with the closing balance of the previous part [R-WALLET-06]', async () => {
  const parts = await exportedParts('pdf', border);
  assert.equal(parts.length, 2);
  const balance = (text: string, name: string): string | undefined =>
    new RegExp(`${name} balance: (.*)`).exec(text)?.[1];
  let closing: string | undefined = '฿39,972.77';
  for (const [index, { bytes }] of parts.entries()) {
    const text = execFileSync('pdftotext', ['-raw', '-l', '1', '-', '-'], { input: bytes, encoding: 'utf8' });
    assert.ok(text.includes(`Krapao · Account statement · Part ${index + 1} of 2`), text.slice(0, 300));
    assert.equal(balance(text, 'Opening'), closing);
    closing = balance(text, 'Closing');
  }
  assert.equal(closing, '฿60,677.77');
});

type Page = { total: number; statements: { reference: string }[]; older?: { before: string; searchedFrom: string } };
const search = async (body: object): Promise<Page> =>
  (await system.api('POST /api/statement', { token: member.token, body })).body;

test('a search and a filter reach the oldest of 60,001 movements by the cursor of each reply [R-WALLET-06]', async () => {
  for (const filter of [{ search: OLDEST }, { search: '77.77' }, { reference: OLDEST.toLowerCase() }]) {
    const newest = await search(filter);
    assert.deepEqual([newest.total, newest.statements], [0, []]);
    const older = await search({ ...filter, before: newest.older?.before });
    assert.deepEqual([older.total, older.older], [1, undefined]);
    assert.equal(older.statements[0]?.reference, OLDEST);
  }
  const totals: number[] = [];
  for (let before: string | undefined, isLast = false; !isLast;) {
    const page: Page = await search({ status: 'SUCCESS', page: 500, limit: 100, ...(before && { before }) });
    totals.push(page.total);
    before = page.older?.before;
    isLast = before === undefined;
  }
  assert.deepEqual(totals, [50_000, 10_001]);
});
