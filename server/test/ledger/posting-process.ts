// Posts payments of some members concurrently, and prints the key of each before it is sent and the verdict after it.
// Its test kills it during the run.
import { openDatabase } from '../../src/platform/database/database.ts';
import { createLedger } from '../../src/ledger/index.ts';
import { booksOf } from './books.ts';

const [url = '', run = ''] = process.argv.slice(2);
const database = openDatabase({ url, size: 1 });
const ledger = createLedger({ url, database, currency: 'BAHT' });
const CALLERS = 16;
const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

async function caller(number: number): Promise<void> {
  const books = booksOf(`killed-${number}`);
  for (let turn = 0; ; turn += 1) {
    const key = `${run}:${number}:${turn}`;
    say(`asked ${number} ${key}`);
    const [verdict] = await ledger.post(books.deposit(key, 7n));
    say(`told ${key} ${verdict?.operationId ?? 0n}`);
  }
}

await Promise.all(Array.from({ length: CALLERS }, (_, number) => caller(number)));
