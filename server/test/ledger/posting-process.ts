// Posts payments of several members concurrently. Prints the key of each before sending it, and its verdict afterwards.
// Its test kills it.

import { createLedger } from '../../src/ledger/index.ts';
import { openDatabase } from '../../src/platform/database/database.ts';
import { ledgerAccountsOf } from './books.ts';

const [url = '', runName = ''] = process.argv.slice(2);
const database = openDatabase({ url, size: 1 });
const ledger = createLedger({ url, database, currency: 'BAHT' });
const CALLER_COUNT = 16;
const printLine = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

async function runCaller(number: number): Promise<void> {
  const operations = ledgerAccountsOf(`killed-${number}`);
  for (let turnNumber = 0; ; turnNumber += 1) {
    const key = `${runName}:${number}:${turnNumber}`;
    printLine(`asked ${number} ${key}`);
    const [verdict] = await ledger.post(operations.deposit(key, 7n));
    printLine(`told ${key} ${verdict?.operationId ?? 0n}`);
  }
}

await Promise.all(Array.from({ length: CALLER_COUNT }, (_, number) => runCaller(number)));
