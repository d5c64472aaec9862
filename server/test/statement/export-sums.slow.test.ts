import assert from 'node:assert/strict';
import { randomInt, randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { parseDecimal } from '@krapao/contract/money';
import type { Ledger } from '../../src/ledger/index.ts';
import { waitUntil } from '../deposit/qrcode/qr-fixtures.ts';
import { registerMember, type TestMember } from '../harness/members.ts';
import { createTestLedger } from '../harness/money.ts';
import { startSystem, type System } from '../harness/system.ts';
import { ledgerAccountsOf } from '../ledger/books.ts';
import { parseCsv } from './parse-csv.ts';

const MEMBERS = 200;
const AT_ONCE = 8;
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

/** Deposits, payouts, and holds that are posted, voided or still open. */
async function moveAtRandom({ id }: TestMember): Promise<void> {
  const operations = ledgerAccountsOf(id);
  await ledger.post(operations.deposit(randomUUID(), BigInt(randomInt(100_000, 900_000))));
  for (let move = randomInt(2, 12); move > 0; move -= 1) {
    const key = randomUUID();
    const amount = BigInt(randomInt(1, 5_000));
    const outcome = randomInt(5);
    if (outcome === 0) await ledger.post(operations.deposit(key, amount));
    else if (outcome === 1) await ledger.post(operations.pay(key, amount));
    else {
      await ledger.post(operations.hold(key, amount));
      if (outcome === 2) await ledger.post(operations.resolve('post', `${key}p`, key));
      if (outcome === 3) await ledger.post(operations.resolve('void', `${key}v`, key));
    }
  }
}

/** Returns the sum of all amounts. Asserts that the balance of each row is the sum so far. */
async function sumOfFile(member: TestMember): Promise<bigint> {
  const { body } = await system.api('POST /api/statement/export', {
    token: member.token,
    body: {
      format: 'csv',
      language: 'en',
      from: new Date(Date.now() - DAY_MS).toISOString(),
      until: new Date(Date.now() + DAY_MS).toISOString(),
    },
  });
  const made = await waitUntil(
    async () => (await system.api(`GET /api/statement/export/${body.id}`, { token: member.token })).body,
    ({ state }) => state !== 'RUNNING',
    'the file is made',
  );
  const rows = parseCsv(Buffer.from(await (await fetch(made.url)).arrayBuffer()).toString('utf8'));
  return rows.slice(1).reduce((sum, cells) => {
    const total = sum + signed(cells[5] ?? '');
    assert.equal(signed(cells[7] ?? ''), total);
    return total;
  }, 0n);
}

/** Minor units of a decimal with or without a minus sign. */
function signed(text: string): bigint {
  const units: bigint = parseDecimal(text.replace(/^-/, '')) ?? 0n;
  return text.startsWith('-') ? -units : units;
}

test(`the statement files of ${MEMBERS} members add up to their free money, with failed and open holds [R-WALLET-06]`, async () => {
  const queue = Array.from({ length: MEMBERS }, (_, index) => index);
  let compared = 0;
  const work = async (): Promise<void> => {
    while (queue.pop() !== undefined) {
      const member = await registerMember(system);
      await moveAtRandom(member);
      const wallet = (await ledger.balances(member.id)).find(({ kind }) => kind === 'WALLET');
      assert.equal(await sumOfFile(member), wallet?.free);
      compared += 1;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  assert.equal(compared, MEMBERS);
});
