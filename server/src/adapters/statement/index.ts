import { currencies, parseDecimal } from '@krapao/contract/money';
import { z } from 'zod';
import { UserError } from '../../platform/errors.ts';
import { callOutside } from '../../platform/http/outbound.ts';
import type { Clock } from '../../platform/time.ts';
import { type BankConfig, callBank } from '../bank-client.ts';
import type { WalletAppConfig } from '../feed/wallet-app.ts';
import { escapedIdentity, outsideText } from '../outside-text.ts';
import { readBankStatement } from './bank.ts';
import type { StatementSource, GatewayTotal, PlayerTotal } from './port.ts';
import { readWalletAppStatement } from './wallet-app.ts';

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
      lines: () => readFrom(`account ${account.accountNo} at the bank`, () => readBankStatement(call, account)),
    })),
    walletApp: walletApp && (() => readFrom('the wallet app', () => readWalletAppStatement(walletApp))),
    gateways: simulators ? async () => (await readTotals()).gateways : undefined,
    players: simulators ? async () => (await readTotals()).players : undefined,
  };
  function readTotals() {
    return readFrom('the simulators', () => readSimulatedTotals(bank.url));
  }
}

/** Reads a statement. @throws {UserError} it can't be read: no defect of this program */
async function readFrom<Statement>(party: string, read: () => Promise<Statement>): Promise<Statement> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof UserError) throw error;
    const isMalformed = error instanceof z.ZodError || error instanceof SyntaxError;
    const cause = isMalformed ? 'it has another format' : (error as Error).message;
    throw new UserError(`The statement of ${party} can't be read: ${cause} (docs/runbooks/reconcile.md).`, {
      cause: error,
    });
  }
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
  if (reply.status !== OK_STATUS) throw new Error(`HTTP ${reply.status}`);
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
