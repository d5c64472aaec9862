import { parseDecimal } from '@krapao/contract/money';
import { z } from 'zod';
import type { CallBank } from '../bank-client.ts';
import { escapedIdentity, outsideText } from '../outside-text.ts';
import { fetchPages, type PartyStatementEntry } from './port.ts';

const PAGE_LINES = 200;
const OK_STATUS = 200;

const page = z.object({
  lines: z.array(
    z.object({
      direction: z.enum(['in', 'out']),
      channel: outsideText(32),
      transRef: escapedIdentity(),
      sendingBank: escapedIdentity(),
      amount: outsideText(40),
      reference1: escapedIdentity().nullable(),
    }),
  ),
  nextCursor: escapedIdentity(),
  more: z.boolean(),
});

/**
 * Reads all movements of an account, each once, although the bank may list it twice. Throws when the bank does not
 * reply, or its list does not end.
 */
export async function readBankStatement(
  call: CallBank,
  { bankCode, accountNo }: { bankCode: string; accountNo: string },
): Promise<PartyStatementEntry[]> {
  const readPage = async (cursor: string): Promise<z.output<typeof page>> => {
    const cursorQuery = cursor === '' ? '' : `after=${encodeURIComponent(cursor)}&`;
    const reply = await call('GET', `/feed/${bankCode}/${accountNo}?${cursorQuery}limit=${PAGE_LINES}`);
    if (reply.outcome !== 'answered') throw new Error(reply.note);
    if (reply.status !== OK_STATUS) throw new Error(`HTTP ${reply.status}`);
    return page.parse(reply.body);
  };
  const entriesByKey = new Map<string, PartyStatementEntry>();
  for await (const reportedPage of fetchPages(`the bank, of ${accountNo},`, readPage)) {
    for (const { reference1: reference, amount, ...reportedLine } of reportedPage.lines) {
      entriesByKey.set(`${reportedLine.direction} ${reportedLine.sendingBank} ${reportedLine.transRef}`, {
        ...reportedLine,
        reference,
        amount: read(amount),
      });
    }
  }
  return [...entriesByKey.values()];
}

function read(text: string): bigint {
  const amount = parseDecimal(text);
  if (amount === undefined) throw new Error(`${text} is no amount`);
  return amount;
}
