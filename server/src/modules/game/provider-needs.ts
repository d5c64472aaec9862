import { countHolders } from '../../ledger/index.ts';
import type { PartyNeedSource } from '../../platform/party-needs.ts';
import { gameLedgerKind } from './game.ts';
import { countBusyAccounts } from './provider-queries.ts';
import { selectCreditRates } from './queries.ts';

const entryOf = (provider: string): string => `games.${provider}`;

/** Providers at which members have money or busy accounts. */
export const providerNeeds: PartyNeedSource = async (on, isPresent) => {
  const games = (await selectCreditRates(on)).filter(({ provider }) => !isPresent(entryOf(provider)));
  const holders = await countHolders(
    on,
    games.map(({ code }) => gameLedgerKind(code)),
  );
  const providers = [...new Set(games.map(({ provider }) => provider))];
  const busyCounts = await countBusyAccounts(on, providers);
  return providers.flatMap((provider) => {
    const codes = games.filter((game) => game.provider === provider).map(({ code }) => code);
    const holderCount = codes.reduce((sum, code) => sum + (holders.get(gameLedgerKind(code)) ?? 0), 0);
    const count = Math.max(holderCount, busyCounts.get(provider) ?? 0);
    if (count === 0) return [];
    return [
      {
        entry: entryOf(provider),
        reason: `${count} game accounts there have money, open or unknown bets or a transfer, or are being opened`,
        remedy: `Put it back, hide ${codes.join(', ')} (krapao config apply games FILE NAME WHY), and remove it when members have moved their money to the wallet.`,
      },
    ];
  });
};
