import { openGateways } from './adapters/gateway/index.ts';
import type { Outside } from './outside-config.ts';
import { bankAccountKey, type Parties } from './platform/documents/subject.ts';
import type { Clock } from './platform/time.ts';

/** The counterparties of the outside file. */
export function partiesOf(outside: Outside, clock: Clock): Parties {
  const { bank, games, walletApp } = outside;
  return {
    gateways: new Map(openGateways(outside, clock).map(({ code, currency }) => [code, currency])),
    providers: new Set(Object.keys(games)),
    bankAccounts: new Set(bank.accounts.map(bankAccountKey)),
    walletAppPhone: walletApp?.phone,
  };
}

/** Entries of the file: its sections, and each game provider as `games.NAME`. */
export function entriesOf(outside: Outside): ReadonlySet<string> {
  const sections = Object.entries(outside).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  return new Set([...sections, ...Object.keys(outside.games).map((name) => `games.${name}`)]);
}
