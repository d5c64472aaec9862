import type { Outside } from '../../outside.ts';
import type { Clock } from '../../platform/clock.ts';
import { callBank } from '../bank-api/call-bank.ts';
import { readBankStatement } from './bank-statement.ts';
import type { StatementSource } from './port.ts';
import { readSimulatedTotals } from './simulated-totals.ts';
import { readWalletAppStatement } from './wallet-app-statement.ts';

/**
 * Sources of all parties' statements: those of bank and wallet app come from their feed APIs; of gateways and game
 * providers only the simulated ones have a source here.
 */
export function statementSource(outside: Outside, clock: Clock, simulators: boolean): StatementSource {
  const { bank, walletApp } = outside;
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
