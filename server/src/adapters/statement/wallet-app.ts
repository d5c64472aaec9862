import { parseDecimal } from '@krapao/contract/money';
import { z } from 'zod';
import { callOutside } from '../../platform/http/outbound.ts';
import type { WalletAppConfig } from '../feed/wallet-app.ts';
import { fetchPages, type PartyStatementEntry } from './port.ts';
import { escapedIdentity, outsideText } from '../outside-text.ts';

const PAGE_LINES = 200;
const OK = 200;

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
 * All money received in our wallet in the app, each transaction once. Throws when the app does not answer, or its list
 * does not end.
 */
export async function readWalletAppStatement(settings: WalletAppConfig): Promise<PartyStatementEntry[]> {
  const readPage = async (cursor: string): Promise<z.output<typeof page>> => {
    const after = cursor === '' ? '' : `after=${encodeURIComponent(cursor)}&`;
    const reply = await callOutside({
      method: 'GET',
      url: `${settings.url}/transactions?${after}limit=${PAGE_LINES}`,
      headers: { authorization: `Bearer ${settings.apiKey}`, accept: 'application/json' },
      timeoutMs: settings.timeoutMs,
    });
    if (reply.status !== OK) throw new Error(`no statement from the wallet app: HTTP ${reply.status}`);
    return page.parse(JSON.parse(reply.text));
  };
  const lines = new Map<string, PartyStatementEntry>();
  for await (const { transactions } of fetchPages('the wallet app', readPage)) {
    for (const reported of transactions) lines.set(reported.transactionId, lineOf(reported));
  }
  return [...lines.values()];
}

function lineOf(reported: z.output<typeof page>['transactions'][number]): PartyStatementEntry {
  const amount = parseDecimal(reported.amount);
  if (amount === undefined) throw new Error(`invalid amount in the wallet app's statement: ${reported.amount}`);
  return {
    direction: 'in',
    channel: reported.type,
    sendingBank: 'WALLET_APP',
    transRef: reported.transactionId,
    amount,
    reference: reported.voucherId,
  };
}
