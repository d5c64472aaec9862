import { CURRENCY_SIGNS } from '@krapao/contract/money';
import { formatMemberCode } from '@krapao/contract/rules';
import { activityText } from '@krapao/contract/statement';
import { phrase } from '../../platform/phrases.ts';
import { convertRows, type FileContext, minorUnits } from './csv.ts';
import type { ExportedPart } from './read-period.ts';
import type { PdfInput } from './pdf.ts';

const ZONE_MS = 7 * 3_600_000;

/** The texts of a statement's PDF in the requested language. `until` is exclusive. */
export async function pdfInput(
  { entries, holder, balances, asOf }: ExportedPart,
  { language, currency, nameOf, from, until }: FileContext & { from: string; until: string },
): Promise<PdfInput> {
  const text = (key: string, values?: Readonly<Record<string, string>>): string =>
    phrase(language, 'money', `export.${key}`, values);
  const money = (units: bigint): string => `${units < 0n ? '−' : ''}${CURRENCY_SIGNS[currency]}${digits(units)}`;
  const createdAtText = thaiTime(asOf.toISOString());
  const lastMoment = new Date(Math.min(Date.parse(until), asOf.getTime()) - 1).toISOString();
  return {
    language,
    title: `Krapao · ${text('fileTitle')}`,
    facts: [
      ...(holder ? ([[text('holder'), holderText(holder)]] as const) : []),
      [text('period'), `${thaiTime(from).slice(0, 10)} – ${thaiTime(lastMoment).slice(0, 10)}`],
      ...(balances
        ? ([
            [text('opening'), money(balances.opening)],
            [text('closing'), money(balances.closing)],
          ] as const)
        : []),
    ],
    columns: ['time', 'text', 'reference', 'amount', 'balance', 'state'].map((column) => text(`column.${column}`)),
    rows: await convertRows(entries, (entry) => {
      const { key, values } = activityText(entry, nameOf);
      const amount = minorUnits(entry.amount);
      return [
        thaiTime(entry.createdAt),
        phrase(language, 'statement', key, values),
        entry.reference,
        `${amount > 0n ? '+' : ''}${money(amount)}`,
        entry.balance === null ? '' : money(entry.balance),
        phrase(language, 'parts', `status.${entry.status}`),
      ];
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

/** DD/MM/YYYY HH:mm:ss in Thai and Lao time. */
function thaiTime(at: string): string {
  const [date = '', time = ''] = new Date(Date.parse(at) + ZONE_MS).toISOString().split('T');
  return `${date.split('-').toReversed().join('/')} ${time.slice(0, 8)}`;
}

/** Minor units as 1,234.50, without a sign. */
function digits(units: bigint): string {
  const absolute = units < 0n ? -units : units;
  return `${(absolute / 100n).toLocaleString('en-US')}.${String(absolute % 100n).padStart(2, '0')}`;
}
