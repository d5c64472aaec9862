import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { type Language, languages } from '@krapao/contract/languages';
import { formatMemberCode } from '@krapao/contract/rules';
import * as laterEn from '@krapao/phrases/later-words-en';
import * as laterLa from '@krapao/phrases/later-words-la';
import * as laterTh from '@krapao/phrases/later-words-th';
import * as en from '@krapao/phrases/words-en';
import * as la from '@krapao/phrases/words-la';
import * as th from '@krapao/phrases/words-th';
import type { Ledger } from '../../src/ledger/index.ts';
import { type PdfInput, statementPdf } from '../../src/modules/statement/pdf.ts';
import { waitUntil } from '../deposit/qrcode/qr-fixtures.ts';
import { registerMember, type TestMember } from '../harness/members.ts';
import { createTestLedger, fundWallet } from '../harness/money.ts';
import { startSystem, type System } from '../harness/system.ts';
import { ledgerAccountsOf } from '../ledger/books.ts';

const DAY_MS = 24 * 3_600_000;

let system: System;
let ledger: Ledger;
before(async () => {
  system = await startSystem();
  ledger = createTestLedger(system);
});
after(async () => {
  await ledger.close();
  await system.stop();
});

/** Lines of text of a PDF, in the order in which they were written. */
const linesOf = (pdf: Uint8Array): string[] =>
  execFileSync('pdftotext', ['-raw', '-nopgbrk', '-', '-'], { input: pdf, encoding: 'utf8', maxBuffer: 1e9 }).split(
    '\n',
  );

/** Texts of a catalogue that fit on one line of a cell, without placeholders. */
function textsOf(node: unknown): string[] {
  if (typeof node === 'string') return node.length <= 30 && !/[{<\n]/.test(node) && /^\S.*\S$/.test(node) ? [node] : [];
  return Object.values(node as object).flatMap(textsOf);
}

const input = (language: Language, texts: readonly string[]): PdfInput => ({
  language,
  title: 'Krapao',
  facts: [],
  columns: ['1', '2', '3', '4', '5'],
  rows: texts.map((text) => ({
    day: '',
    time: '',
    text,
    reference: '',
    amount: '',
    hasFailed: false,
    balance: '',
    state: '',
  })),
  notMoved: '',
  explanation: 'end',
  pageLabel: '{{page}}/{{pages}}',
  createdAt: new Date(0),
  createdAtText: '',
});

test('text copied from a PDF equals the written text, in three languages [R-WALLET-06]', async () => {
  for (const [language, catalogue] of Object.entries({ th, la, en })) {
    const texts = [...new Set(textsOf(catalogue))];
    assert.ok(texts.length > 200);
    const found = new Set(linesOf(await statementPdf(input(language as Language, texts))));
    assert.deepEqual(
      texts.filter((text) => !found.has(text)),
      [],
      language,
    );
  }
});

/** A member's PDF in English. */
async function pdfOf({ token }: TestMember, body: object): Promise<Uint8Array> {
  const reply = await system.api('POST /api/statement/export', {
    token,
    body: { format: 'pdf', language: 'en', ...body },
  });
  const made = await waitUntil(
    async () => (await system.api(`GET /api/statement/export/${reply.body.id}`, { token })).body,
    ({ state }) => state !== 'RUNNING',
    'the file is made',
  );
  assert.equal(made.state, 'DONE');
  return new Uint8Array(await (await fetch(made.url)).arrayBuffer());
}

/** Lines of a member's PDF in English. */
const pdfLines = async (member: TestMember, body: object): Promise<string[]> => linesOf(await pdfOf(member, body));

test('a PDF read by layout has each movement in one row, with its whole reference, and failed ones as not moved', async () => {
  const member = await registerMember(system);
  const operations = ledgerAccountsOf(member.id);
  const [paid, failed, open] = ['P'.repeat(12), 'F'.repeat(64), randomUUID()];
  await fundWallet(ledger, member.id, '1500.25');
  await ledger.post({ ...operations.pay(randomUUID(), 40_000n), reference: paid });
  const key = randomUUID();
  await ledger.post({ ...operations.hold(key, 10_050n), reference: failed });
  await ledger.post(operations.resolve('void', `${key}v`, key));
  await ledger.post(operations.hold(open, 25_000n));
  const period = {
    from: new Date(Date.now() - DAY_MS).toISOString(),
    until: new Date(Date.now() + DAY_MS).toISOString(),
  };
  const pdf = await pdfOf(member, period);
  const text = execFileSync('pdftotext', ['-layout', '-', '-'], { input: pdf, encoding: 'utf8' });
  const day = String.raw`\d\d\/\d\d\/\d{4} +`;
  const time = String.raw`\n+ *\d\d:\d\d:\d\d +`;
  const rows = [
    String.raw`${day}.*\+฿1,500\.25 +฿1,500\.25 +Success`,
    String.raw`${day}Withdrawal to your bank account +−฿400\.00 +฿1,100\.25 +Success${time}${paid}\n`,
    String.raw`${day}Transfer from Wallet to PG SLOT +฿100\.50 +฿1,100\.25 +Failed${time}not moved\n+ +${failed}\n`,
    String.raw`${day}Transfer from Wallet to PG SLOT +−฿250\.00 +฿850\.25 +In progress${time}${open}\n`,
  ];
  assert.match(text, new RegExp(rows.join(String.raw`[\s\S]*`)), text);
  for (const line of ['Opening balance: ฿0.00', 'Closing balance: ฿850.25', 'Money in: ฿1,500.25'])
    assert.ok(text.includes(`${line}\n`), text);
  assert.ok(text.includes('Money out: −฿650.00 (−฿250.00 of it to games)\n'), text);
  const boxes = execFileSync('pdftotext', ['-bbox', '-', '-'], { input: pdf, encoding: 'utf8' });
  const heights = [...boxes.matchAll(/yMin="([\d.]+)".*?yMax="([\d.]+)"/g)].map(
    ([, top, bottom]) => Number(bottom) - Number(top),
  );
  assert.ok(heights.length > 20);
  assert.deepEqual(
    heights.filter((height) => height < 8),
    [],
  );
});

test('a PDF of a past period closes with the balance at its end, with which the next one opens [R-WALLET-06]', async () => {
  const member = await registerMember(system);
  const operations = ledgerAccountsOf(member.id);
  await fundWallet(ledger, member.id, '700.50');
  const lost = randomUUID();
  await ledger.post(operations.hold(lost, 4_000n));
  const until = new Date(Date.now() + 1).toISOString();
  await new Promise((resolve) => setTimeout(resolve, 20));
  await ledger.post(operations.resolve('void', `${lost}v`, lost));
  await ledger.post(operations.pay(randomUUID(), 20_025n));
  await fundWallet(ledger, member.id, '1000');
  const before = await pdfLines(member, { from: new Date(Date.now() - DAY_MS).toISOString(), until });
  assert.ok(before.includes('Opening balance: ฿0.00'), before.join('|'));
  assert.ok(before.includes('Closing balance: ฿700.50'), before.join('|'));
  const after = await pdfLines(member, { from: until, until: new Date(Date.now() + DAY_MS).toISOString() });
  assert.ok(after.includes('Opening balance: ฿700.50'), after.join('|'));
  assert.ok(after.includes('Closing balance: ฿1,500.25'), after.join('|'));
});

test("a filtered PDF has the wallet's balance after each movement, and no opening or closing balance [R-WALLET-06]", async () => {
  const member = await registerMember(system);
  const operations = ledgerAccountsOf(member.id);
  await fundWallet(ledger, member.id, '700.50');
  await ledger.post(operations.pay(randomUUID(), 20_025n));
  await fundWallet(ledger, member.id, '1000');
  const period = {
    from: new Date(Date.now() - DAY_MS).toISOString(),
    until: new Date(Date.now() + DAY_MS).toISOString(),
  };
  for (const filter of [{ types: ['withdraw'] }, { status: 'SUCCESS', search: '200.25' }]) {
    const lines = await pdfLines(member, { ...period, ...filter });
    assert.ok(lines.includes('−฿200.25 ฿500.25 Success'), lines.join('|'));
    assert.ok(lines.includes('Money out: −฿200.25'), lines.join('|'));
    assert.ok(!lines.some((line) => /^(?:Opening|Closing) balance/.test(line)), lines.join('|'));
  }
});

test('a PDF states its period, both balances and every movement, and its sums agree with the wallet [R-WALLET-06]', async () => {
  const member = await registerMember(system);
  const { profile } = (await system.api('GET /api/wallet', { token: member.token })).body;
  const { name, memberCode } = profile;
  const operations = ledgerAccountsOf(member.id);
  await fundWallet(ledger, member.id, '1500.25');
  const [paid, failed] = [randomUUID(), randomUUID()];
  await ledger.post(operations.pay(paid, 40_000n));
  await ledger.post(operations.hold(failed, 10_000n));
  await ledger.post(operations.resolve('void', `${failed}v`, failed));
  for (const language of languages) {
    const { body } = await system.api('POST /api/statement/export', {
      token: member.token,
      body: {
        format: 'pdf',
        language,
        from: new Date(Date.now() - DAY_MS).toISOString(),
        until: new Date(Date.now() + DAY_MS).toISOString(),
      },
    });
    const made = await waitUntil(
      async () => (await system.api(`GET /api/statement/export/${body.id}`, { token: member.token })).body,
      ({ state }) => state !== 'RUNNING',
      'the file is made',
    );
    assert.deepEqual([made.state, made.lines], ['DONE', 3]);
    const response = await fetch(made.url);
    assert.equal(response.headers.get('content-type'), 'application/pdf');
    const lines = linesOf(new Uint8Array(await response.arrayBuffer()));
    const words = { th: laterTh, la: laterLa, en: laterEn }[language].money;
    const { withdrawPlain } = { th, la, en }[language].statement;
    const { status } = { th, la, en }[language].parts;
    for (const text of [
      `Krapao · ${words.export.fileTitle}`,
      `${words.export.holder}: ${name} · ${formatMemberCode(memberCode)}`,
      `${words.export.opening}: ฿0.00`,
      `${words.export.closing}: ฿1,100.25`,
      `${words.export.moneyIn}: ฿1,500.25`,
      `${words.export.moneyOut}: −฿400.00`,
      `+฿1,500.25 ฿1,500.25 ${status.SUCCESS}`,
      `−฿400.00 ฿1,100.25 ${status.SUCCESS}`,
      '฿100.00',
      words.export.notMoved,
      `฿1,100.25 ${status.FAILED}`,
      withdrawPlain,
    ])
      assert.ok(lines.includes(text), `${language}: ${text} in ${lines.join('|')}`);
  }
});
