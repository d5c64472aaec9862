import { parseDecimal } from '@krapao/contract/money';
import { z } from 'zod';
import type { CallBank } from '../bank-client.ts';
import { fetchPages, type PartyStatementEntry } from './port.ts';
import { escapedIdentity, outsideText } from '../outside-text.ts';

const PAGE_LINES = 200;
const OK = 200;

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
 * All movements of an account, each once although the bank may list it twice. Throws when the bank does not answer, or
 * its list does not end.
 */
export async function readBankStatement(
  call: CallBank,
  { bankCode, accountNo }: { bankCode: string; accountNo: string },
): Promise<PartyStatementEntry[]> {
  const readPage = async (cursor: string): Promise<z.output<typeof page>> => {
    const after = cursor === '' ? '' : `after=${encodeURIComponent(cursor)}&`;
    const answer = await call('GET', `/feed/${bankCode}/${accountNo}?${after}limit=${PAGE_LINES}`);
    if (answer.outcome !== 'answered') throw new Error(`no statement of ${accountNo} from the bank: ${answer.note}`);
    if (answer.status !== OK) throw new Error(`no statement of ${accountNo} from the bank: HTTP ${answer.status}`);
    return page.parse(answer.body);
  };
  const lines = new Map<string, PartyStatementEntry>();
  for await (const reported of fetchPages(`the bank, of ${accountNo},`, readPage)) {
    for (const { reference1: reference, amount, ...line } of reported.lines) {
      lines.set(`${line.direction} ${line.sendingBank} ${line.transRef}`, { ...line, reference, amount: read(amount) });
    }
  }
  return [...lines.values()];
}

function read(text: string): bigint {
  const amount = parseDecimal(text);
  if (amount === undefined) throw new Error(`invalid amount in the bank's statement: ${text}`);
  return amount;
}
