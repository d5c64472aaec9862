import type { Clock } from '../../platform/time.ts';
import { type BankConfig, callBank } from '../bank-client.ts';
import type { WalletAppConfig } from '../feed/wallet-app.ts';
import { readBankStatement } from './bank.ts';
import type { StatementSource, GatewayTotal, PlayerTotal } from './port.ts';
import { readWalletAppStatement } from './wallet-app.ts';
import { currencies, parseDecimal } from '@krapao/contract/money';
import { z } from 'zod';
import { callOutside } from '../../platform/http/outbound.ts';
import { escapedIdentity, outsideText } from '../outside-text.ts';

type OutsideSections = { bank: BankConfig; walletApp?: WalletAppConfig | undefined };

/**
 * Statements of all parties. Those of bank and wallet app come from their feed APIs. Of gateways and game providers
 * only the simulated ones have a source.
 */
export function statementSource(outsideFile: OutsideSections, clock: Clock, simulators: boolean): StatementSource {
  const { bank, walletApp } = outsideFile;
  const call = callBank(bank, clock);
  return {
    bankAccounts: bank.accounts.map((account) => ({
      name: `${account.bankCode}-${account.accountNo}`,
      currency: account.currency,
      lines: () => readBankStatement(call, account),
    })),
    walletApp: walletApp && (() => readWalletAppStatement(walletApp)),
    gateways: simulators ? async () => (await readSimulatedTotals(bank.url)).gateways : undefined,
    players: simulators ? async () => (await readSimulatedTotals(bank.url)).players : undefined,
  };
}

const OK_STATUS = 200;
const PATIENCE_MS = 10_000;

const decimalField = outsideText(40).transform((text, context) => {
  const amount = parseDecimal(text);
  if (amount !== undefined) return amount;
  context.addIssue({ code: 'custom', message: 'not an amount' });
  return z.NEVER;
});
const totalsReply = z.object({
  gateways: z.array(
    z.object({
      gateway: escapedIdentity(),
      currency: z.enum(currencies),
      received: decimalField,
      unmatched: decimalField,
    }),
  ),
  games: z.array(
    z.object({
      provider: escapedIdentity(),
      username: escapedIdentity(),
      transferredIn: decimalField,
      transferredOut: decimalField,
    }),
  ),
});

/** Reads the totals of the simulated gateways and game providers. A real party provides its own format of statement. */
export async function readSimulatedTotals(
  simulatorsUrl: string,
): Promise<{ gateways: GatewayTotal[]; players: PlayerTotal[] }> {
  const url = new URL('/control/totals', simulatorsUrl).href;
  const reply = await callOutside({ method: 'GET', url, timeoutMs: PATIENCE_MS });
  if (reply.status !== OK_STATUS) throw new Error(`no totals from the simulators: HTTP ${reply.status}`);
  const { gateways, games } = totalsReply.parse(JSON.parse(reply.text));
  return {
    gateways: gateways.map(({ gateway: name, ...total }) => ({ name, ...total })),
    players: games.map(({ provider, username, transferredIn: movedIn, transferredOut: movedOut }) => ({
      provider,
      username,
      movedIn,
      movedOut,
    })),
  };
}
