import { parseDecimal } from '@krapao/contract/money';
import { z } from 'zod';
import { callOutside } from '../../platform/http/outbound.ts';
import type { WalletAppConfig } from '../feed/wallet-app.ts';
import { escapedIdentity, outsideText } from '../outside-text.ts';
import { fetchPages, type PartyStatementEntry } from './port.ts';

const PAGE_LINES = 200;
const OK_STATUS = 200;

const page = z.object({
  transactions: z.array(
    z.object({
      type: outsideText(32),
      transactionId: escapedIdentity(),
      amount: outsideText(40),
      voucherId: escapedIdentity().nullable(),
    }),
  ),
  nextCursor: escapedIdentity(),
  more: z.boolean(),
});

/**
 * Reads all money received in the operator's wallet, each transaction once. Throws when the app does not reply, or its
 * list does not end.
 */
export async function readWalletAppStatement(settings: WalletAppConfig): Promise<PartyStatementEntry[]> {
  const readPage = async (cursor: string): Promise<z.output<typeof page>> => {
    const cursorQuery = cursor === '' ? '' : `after=${encodeURIComponent(cursor)}&`;
    const reply = await callOutside({
      method: 'GET',
      url: `${settings.url}/transactions?${cursorQuery}limit=${PAGE_LINES}`,
      headers: { authorization: `Bearer ${settings.apiKey}`, accept: 'application/json' },
      timeoutMs: settings.timeoutMs,
    });
    if (reply.status !== OK_STATUS) throw new Error(`HTTP ${reply.status}`);
    return page.parse(JSON.parse(reply.text));
  };
  const entriesByTransaction = new Map<string, PartyStatementEntry>();
  for await (const { transactions } of fetchPages('the wallet app', readPage)) {
    for (const transaction of transactions) entriesByTransaction.set(transaction.transactionId, toEntry(transaction));
  }
  return [...entriesByTransaction.values()];
}

function toEntry(transaction: z.output<typeof page>['transactions'][number]): PartyStatementEntry {
  const amount = parseDecimal(transaction.amount);
  if (amount === undefined) throw new Error(`${transaction.amount} is no amount`);
  return {
    direction: 'in',
    channel: transaction.type,
    sendingBank: 'WALLET_APP',
    transRef: transaction.transactionId,
    amount,
    reference: transaction.voucherId,
  };
}
