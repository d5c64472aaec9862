import { CURRENCY_SIGNS } from '@krapao/contract/money';
import { formatMemberCode } from '@krapao/contract/rules';
import { activityText, isOwnTransfer } from '@krapao/contract/statement';
import { phrase } from '../../platform/phrases.ts';
import { convertRows, type FileContext, minorUnits, thaiTime } from './csv.ts';
import type { PdfInput } from './pdf.ts';
import type { ExportedEntry, ExportedPart } from './read-period.ts';

/** The texts of a statement's PDF in the requested language. `until` is exclusive. */
export async function pdfInput(
  { entries, holder, balances, asOf }: ExportedPart,
  { language, currency, nameOf, from, until }: FileContext & { from: string; until: string },
): Promise<PdfInput> {
  const text = (key: string, values?: Readonly<Record<string, string>>): string =>
    phrase(language, 'money', `export.${key}`, values);
  const money = (units: bigint): string => `${units < 0n ? '−' : ''}${CURRENCY_SIGNS[currency]}${digits(units)}`;
  /** With the share that only moved between wallet and games. */
  const sumText = (sign: 1 | -1): string => {
    const own = sumOf(entries.filter(isOwnTransfer), sign);
    const share = text(sign === 1 ? 'fromGames' : 'toGames', { amount: money(own) });
    return `${money(sumOf(entries, sign))}${own === 0n ? '' : ` (${share})`}`;
  };
  const createdAtText = shownTime(asOf.toISOString());
  const lastMoment = new Date(Math.min(Date.parse(until), asOf.getTime()) - 1).toISOString();
  return {
    language,
    title: `Krapao · ${text('fileTitle')}`,
    facts: [
      ...(holder ? ([[text('holder'), holderText(holder)]] as const) : []),
      [text('period'), `${shownDay(from)} – ${shownDay(lastMoment)}`],
      ...(balances
        ? ([
            [text('opening'), money(balances.opening)],
            [text('closing'), money(balances.closing)],
          ] as const)
        : []),
      [text('moneyIn'), sumText(1)],
      [text('moneyOut'), sumText(-1)],
    ],
    columns: [
      text('column.time'),
      `${text('column.text')} · ${text('column.reference')}`,
      ...['amount', 'balance', 'state'].map((column) => text(`column.${column}`)),
    ],
    notMoved: text('notMoved'),
    rows: await convertRows(entries, (entry) => {
      const { key, values } = activityText(entry, nameOf);
      const amount = minorUnits(entry.amount);
      const hasFailed = entry.status === 'FAILED';
      return {
        day: shownDay(entry.createdAt),
        time: thaiTime(entry.createdAt).time,
        text: phrase(language, 'statement', key, values),
        reference: entry.reference,
        amount: hasFailed ? money(minorUnits(entry.requested)) : `${amount > 0n ? '+' : ''}${money(amount)}`,
        hasFailed,
        balance: entry.balance === null ? '' : money(entry.balance),
        state: phrase(language, 'parts', `status.${entry.status}`),
      };
    }),
    explanation: text('note', { time: createdAtText }),
    pageLabel: text('page', { page: '{{page}}', pages: '{{pages}}' }),
    createdAt: asOf,
    createdAtText,
  };
}

/** Characters of the embedded fonts: Latin with accents, Thai, Lao. */
const PRINTABLE = /^[\u0020-\u007e\u00a1-\u00ff\u0e01-\u0e3a\u0e3f-\u0e5b\u0e80-\u0edf]+$/;

/** Name and code of a member; only the code if the fonts lack a character of the name. */
function holderText({ name, memberCode }: { name: string; memberCode: string }): string {
  const code = formatMemberCode(memberCode);
  return PRINTABLE.test(name) && !/\p{Unassigned}/u.test(name) ? `${name} · ${code}` : code;
}

/** DD/MM/YYYY in Thai and Lao time. */
const shownDay = (at: string): string => thaiTime(at).day.split('-').toReversed().join('/');
const shownTime = (at: string): string => `${shownDay(at)} ${thaiTime(at).time}`;

/** Sum of what moved into the wallet (1) or out of it (-1). */
const sumOf = (entries: readonly ExportedEntry[], sign: 1 | -1): bigint =>
  entries.reduce((sum, { amount }) => (Math.sign(amount) === sign ? sum + minorUnits(amount) : sum), 0n);

/** Minor units as 1,234.50, without a sign. */
function digits(units: bigint): string {
  const absolute = units < 0n ? -units : units;
  return `${(absolute / 100n).toLocaleString('en-US')}.${String(absolute % 100n).padStart(2, '0')}`;
}
