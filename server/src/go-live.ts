import { checkParties } from './doctor/check-parties.ts';
import type { Finding } from './doctor/finding.ts';
import { partyNeeds } from './inventory.ts';
import { selectGames } from './modules/game/index.ts';
import { hasParty, selectLookups } from './modules/lookup/index.ts';
import type { Outside } from './outside-config.ts';
import { entriesOf, partiesOf } from './outside-parties.ts';
import type { Database } from './platform/database/database.ts';
import { UserError } from './platform/errors.ts';
import { selectUnmetNeeds, unmetSentence } from './platform/party-needs.ts';
import type { Clock } from './platform/time.ts';

/** What keeps an installation with real counterparties from serving members, for `doctor` and the start. */
export async function examineGoLive(database: Database, outside: Outside, clock: Clock): Promise<Finding[]> {
  const { depositAccounts, walletAccounts } = await selectLookups(database);
  const parties = partiesOf(outside, clock);
  const { accounts } = outside.bank;
  const payoutAccounts = accounts.filter(
    ({ currency }, index) => accounts.findIndex((account) => account.currency === currency) === index,
  );
  return checkParties({
    methods: depositAccounts.map((account) => ({ ...account, isOffered: hasParty(parties, account) })),
    wallets: walletAccounts,
    games: await selectGames(database),
    parties,
    payoutAccounts: new Set(
      payoutAccounts.map(({ bankCode, accountNo, currency }) => [bankCode, accountNo, currency].join(' ')),
    ),
    unmetNeeds: await selectUnmetNeeds(database, partyNeeds, entriesOf(outside)),
  });
}

/** @throws {UserError} an entry is missing that something still needs */
export async function assertNeedsMet(database: Database, outside: Outside): Promise<void> {
  const needs = await selectUnmetNeeds(database, partyNeeds, entriesOf(outside));
  if (needs.length === 0) return;
  throw new UserError(needs.map((need) => `${unmetSentence(need)} ${need.remedy}`).join('\n'));
}

/** Logs what the doctor would find. */
export async function reportGoLive(
  { database, outside, clock }: { database: Database; outside: Outside; clock: Clock },
  log: { warn: LogFindings; error: LogFindings },
): Promise<void> {
  for (const finding of await examineGoLive(database, outside, clock)) {
    if (finding.level === 'good') continue;
    const { check, sentence, remedy, level } = finding;
    const fields = { check, finding: sentence, remedy };
    if (level === 'fault') log.error(fields, 'this installation has a fault: see krapao doctor');
    else log.warn(fields, 'this installation has a warning: see krapao doctor');
  }
}

type LogFindings = (fields: object, message: string) => void;
