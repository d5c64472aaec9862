import type { Outside } from '../../outside.ts';
import type { Clock } from '../../platform/clock.ts';
import { callBank } from '../bank-api/call-bank.ts';
import { readBankStatement } from './bank-statement.ts';
import type { StatementSource } from './port.ts';
import { readSimulatedTotals } from './simulated-totals.ts';
import { readWalletAppStatement } from './wallet-app-statement.ts';

/**
 * Where the statements of all parties come from: bank and wallet app tell theirs through the interface that they are read by
 * anyway; of gateways and game providers only the simulated ones have one here.
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
