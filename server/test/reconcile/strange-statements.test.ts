import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import { fetchPages } from '../../src/adapters/statement/port.ts';
import { writeOutside } from '../harness/outside-file.ts';
import { startSystem, type System } from '../harness/system.ts';
import { outsideWithLongTimeouts, runCommand } from './run-command.ts';

type StatementPage = { nextCursor: string; more: boolean; lines?: object[]; transactions?: object[] };

const EMPTY_PAGE: StatementPage = { nextCursor: '', more: false, lines: [], transactions: [] };
const sentEntry = {
  type: 'P2P',
  transactionId: '50012611210000003',
  amount: '100.00',
  voucherId: null,
};
/** Maximum replies to an endless reader. */
const PATIENCE_READS = 20;

let system: System;
let directory: string;
let partyServer: Server;
/** Pages of bank and wallet app, in order; the last one repeats. */
let servedPages: { bank: StatementPage[]; wallet: StatementPage[] };
let readCounts: { bank: number; wallet: number };
before(async () => {
  system = await startSystem({ simulators: false });
  directory = mkdtempSync(join(tmpdir(), 'krapao-statements-'));
  partyServer = createServer(({ url = '' }, response) => {
    if (url.startsWith('/control/totals')) return response.end(JSON.stringify({ gateways: [], games: [] }));
    const partyName = url.startsWith('/feed/') ? 'bank' : 'wallet';
    const page = servedPages[partyName][Math.min(readCounts[partyName]++, servedPages[partyName].length - 1)];
    return response.writeHead(readCounts[partyName] > PATIENCE_READS ? 429 : 200).end(JSON.stringify(page));
  });
  await new Promise<void>((resolve) => partyServer.listen(0, '127.0.0.1', resolve));
  const { bank, walletApp, ...others } = outsideWithLongTimeouts(system);
  const url = `http://127.0.0.1:${(partyServer.address() as AddressInfo).port}`;
  const [account] = bank.accounts;
  assert.ok(walletApp && account);
  const outside = { ...others, bank: { ...bank, url, accounts: [account] }, walletApp: { ...walletApp, url } };
  writeOutside(join(directory, 'outside.json'), outside);
});
beforeEach(() => {
  servedPages = { bank: [EMPTY_PAGE], wallet: [EMPTY_PAGE] };
  readCounts = { bank: 0, wallet: 0 };
});
after(async () => {
  partyServer.close();
  partyServer.closeAllConnections();
  await system.stop();
  rmSync(directory, { recursive: true });
});

test('a bank statement whose pages repeat makes reconcile exit with 1 and name the account', async () => {
  servedPages.bank = [{ ...EMPTY_PAGE, nextCursor: '7', more: true }];
  const { status, output } = await runCommand(system, directory, 'reconcile');
  assert.equal(status, 1);
  assert.match(output, /^the bank, of \d+, announces more after 7, where it has been before$/m);
});

test('a wallet app statement whose pages repeat makes reconcile exit with 1', async () => {
  servedPages.wallet = ['3', '5', '3'].map((nextCursor) => ({ ...EMPTY_PAGE, nextCursor, more: true }));
  const { status, output } = await runCommand(system, directory, 'reconcile');
  assert.equal(status, 1);
  assert.match(output, /^the wallet app announces more after 3, where it has been before$/m);
});

test("reconcile abandons a counterparty's statement that announces ever more pages", async () => {
  let cursor = 0;
  const endlessRead = fetchPages('the bank', async () => ({ nextCursor: String((cursor += 1)), more: true }));
  await assert.rejects(
    async () => {
      for await (const page of endlessRead) assert.ok(page.more);
    },
    { message: 'the bank announces more than 50000 pages' },
  );
});

test('reconcile counts a transaction reported twice by the wallet app once', async () => {
  servedPages.wallet = [
    { nextCursor: '3', more: true, transactions: [sentEntry] },
    { nextCursor: '5', more: false, transactions: [sentEntry, { ...sentEntry, transactionId: '50012611210000005' }] },
  ];
  const { output } = await runCommand(system, directory, 'reconcile');
  assert.match(output, /^wallet-app +BAHT +0\.00 +200\.00 +200\.00 +not read yet, or waits for a slip 200\.00$/m);
});

test('a party without a readable statement is named in one sentence, not as an internal error', async () => {
  const cases: readonly [Partial<typeof servedPages>, RegExp][] = [
    [
      { bank: [{ nextCursor: '', more: false }] },
      /^The statement of account \d+ at the bank can't be read: it has another format \(docs\/.*\)\.\n$/,
    ],
    [{ wallet: [] }, /^The statement of the wallet app can't be read: it has another format \(docs\/.*\)\.\n$/],
    [
      { wallet: [{ ...EMPTY_PAGE, transactions: [{ ...sentEntry, amount: 'x' }] }] },
      /^The statement of the wallet app can't be read: x is no amount \(docs\/.*\)\.\n$/,
    ],
  ];
  for (const [pages, sentence] of cases) {
    servedPages = { bank: [EMPTY_PAGE], wallet: [EMPTY_PAGE], ...pages };
    const { status, output } = await runCommand(system, directory, 'reconcile');
    assert.match(output, sentence);
    assert.equal(status, 1);
  }
  readCounts.bank = PATIENCE_READS;
  servedPages.bank = [EMPTY_PAGE];
  const { output } = await runCommand(system, directory, 'reconcile');
  assert.match(output, /^The statement of account \d+ at the bank can't be read: HTTP 429 \(docs\//);
});
