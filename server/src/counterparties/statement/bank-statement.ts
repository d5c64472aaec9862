import { parseDecimal } from '@krapao/contract/money';
import { z } from 'zod';
import type { CallBank } from '../bank-api/call-bank.ts';
import { pagesOf } from './pages.ts';
import type { StatementLine } from './port.ts';

const PAGE_LINES = 200;
const OK = 200;

const page = z.object({
  lines: z.array(
    z.object({
      direction: z.enum(['in', 'out']),
      channel: z.string(),
      transRef: z.string(),
      sendingBank: z.string(),
      amount: z.string(),
      reference1: z.string().nullable(),
    }),
  ),
  nextCursor: z.string(),
  more: z.boolean(),
});

/** Everything that ever moved on an account, each movement once although the bank may tell it twice. Throws when it is silent, or endless. */
export async function readBankStatement(
  call: CallBank,
  { bankCode, accountNo }: { bankCode: string; accountNo: string },
): Promise<StatementLine[]> {
  const readPage = async (cursor: string): Promise<z.output<typeof page>> => {
    const after = cursor === '' ? '' : `after=${encodeURIComponent(cursor)}&`;
    const answer = await call('GET', `/feed/${bankCode}/${accountNo}?${after}limit=${PAGE_LINES}`);
    if (answer.outcome !== 'answered') throw new Error(`the bank did not tell about ${accountNo}: ${answer.note}`);
    if (answer.status !== OK) throw new Error(`the bank did not tell about ${accountNo}: HTTP ${answer.status}`);
    return page.parse(answer.body);
  };
  const lines = new Map<string, StatementLine>();
  for await (const told of pagesOf(`the bank, of ${accountNo},`, readPage)) {
    for (const { reference1: reference, amount, ...line } of told.lines) {
      lines.set(`${line.direction} ${line.sendingBank} ${line.transRef}`, { ...line, reference, amount: read(amount) });
    }
  }
  return [...lines.values()];
}

function read(text: string): bigint {
  const amount = parseDecimal(text);
  if (amount === undefined) throw new Error(`the bank tells of an amount that is none: ${text}`);
  return amount;
}
