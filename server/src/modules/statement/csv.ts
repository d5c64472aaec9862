import { setImmediate as turnOfEventLoop } from 'node:timers/promises';
import type { Language } from '@krapao/contract/languages';
import { type Currency, CURRENCY_CODES, type Minor, minor, toDecimal } from '@krapao/contract/money';
import { activityText } from '@krapao/contract/statement';
import { phrase } from '../../platform/phrases.ts';
import type { ExportedEntry } from './read-period.ts';

const COLUMNS = [
  'dateInZone',
  'timeInZone',
  'kind',
  'from',
  'to',
  'amount',
  'notMoved',
  'balance',
  'currency',
  'state',
  'reference',
  'text',
] as const;
const ZONE_MS = 7 * 3_600_000;

/** What a file says of the member. */
export type FileContext = {
  language: Language;
  currency: Currency;
  /** Name of WALLET and of a game, by code. */
  nameOf: (account: string) => string;
};

const ROWS_PER_TURN = 500;

/** Converts the rows of a file; the event loop serves other requests in between. */
export async function convertRows<Row, Converted>(
  rows: readonly Row[],
  convert: (row: Row) => Converted,
): Promise<Converted[]> {
  const converted: Converted[] = [];
  for (const [index, row] of rows.entries()) {
    if (index % ROWS_PER_TURN === ROWS_PER_TURN - 1) await turnOfEventLoop();
    converted.push(convert(row));
  }
  return converted;
}

/** A statement as CSV (RFC 4180, UTF-8 with a byte order mark), oldest movement first. */
export async function statementCsv(
  entries: readonly ExportedEntry[],
  { language, currency, nameOf }: FileContext,
): Promise<string> {
  const toLine = (cells: readonly string[]): string => cells.map(quoted).join(',');
  const rows = await convertRows(entries, (entry) => {
    const { key, values } = activityText(entry, nameOf);
    const { day, time } = thaiTime(entry.createdAt);
    return toLine([
      day,
      time,
      safeCell(phrase(language, 'money', `filter.type.${entry.statementType}`)),
      safeCell(nameOf(entry.from)),
      safeCell(nameOf(entry.to)),
      toDecimal(minorUnits(entry.amount)),
      entry.status === 'FAILED' ? toDecimal(minorUnits(entry.requested)) : '',
      entry.balance === null ? '' : toDecimal(entry.balance),
      CURRENCY_CODES[currency],
      safeCell(phrase(language, 'parts', `status.${entry.status}`)),
      safeCell(entry.reference),
      safeCell(phrase(language, 'statement', key, values)),
    ]);
  });
  const header = COLUMNS.map((column) => phrase(language, 'money', `export.column.${column}`));
  const text = [toLine(header), ...rows].join('\r\n');
  return `\uFEFF${text}\r\n`;
}

/** Exact minor units of an amount in wire format. */
export const minorUnits = (amount: number): Minor => minor(BigInt(Math.round(amount * 100)));

/** YYYY-MM-DD and HH:mm:ss in Thai and Lao time, which spreadsheets read as a date and a time. */
export function thaiTime(at: string): { day: string; time: string } {
  const [day = '', time = ''] = new Date(Date.parse(at) + ZONE_MS).toISOString().split('T');
  return { day, time: time.slice(0, 8) };
}

/** Text that no spreadsheet takes for a formula. */
const safeCell = (text: string): string => (/^[=+\-@\t\r]/.test(text) ? `'${text}` : text);

const quoted = (cell: string): string => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
