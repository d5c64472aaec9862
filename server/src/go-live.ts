import { currencies } from '@krapao/contract/money';
import type { Variant } from '@krapao/contract/rules';
import { findPayoutAccount } from './adapters/bank-client.ts';
import { checkDemoValues, DEMO_SUBJECTS, type SeedSubject, type DemoValues } from './doctor/check-demo-values.ts';
import { checkParties } from './doctor/check-parties.ts';
import { checkSimulators } from './doctor/check-simulators.ts';
import type { Finding } from './doctor/finding.ts';
import { configInventory, partyNeeds } from './inventory.ts';
import { readSeedState } from './modules/config/index.ts';
import { selectGames } from './modules/game/index.ts';
import { hasParty, selectOperatorRows } from './modules/operator-data/index.ts';
import type { Outside } from './outside-config.ts';
import { entriesOf, partiesOf } from './outside-parties.ts';
import type { Database } from './platform/database/database.ts';
import { bankAccountKey } from './platform/documents/subject.ts';
import { UserError } from './platform/errors.ts';
import { selectUnmetNeeds, unmetSentence } from './platform/party-needs.ts';
import type { Clock } from './platform/time.ts';

/** An installation with real counterparties. `variant` decides in which currencies members have wallets. */
export type Installation = {
  database: Database;
  outside: Outside;
  variant: Variant;
  simulatorsPort: number;
  simulatorsUrl: string | undefined;
  clock: Clock;
};

/** What keeps it from serving members, for `doctor` and the start. */
export async function examineGoLive(installation: Installation): Promise<Finding[]> {
  const { database, outside, variant, simulatorsPort, simulatorsUrl, clock } = installation;
  const { depositAccounts, walletAccounts } = await selectOperatorRows(database);
  const parties = partiesOf(outside, clock);
  const { accounts } = outside.bank;
  const payoutAccounts = currencies.flatMap((currency) => findPayoutAccount(accounts, currency) ?? []);
  const partyFindings = checkParties({
    methods: depositAccounts.map((account) => ({ ...account, isOffered: hasParty(parties, account) })),
    wallets: walletAccounts,
    games: await selectGames(database),
    parties,
    ownAccounts: accounts,
    currencies: variant === 'th' ? ['BAHT'] : currencies,
    payoutAccounts: new Set(payoutAccounts.map(bankAccountKey)),
    unmetNeeds: await selectUnmetNeeds(database, partyNeeds, entriesOf(outside)),
  });
  const simulatorFindings = checkSimulators(outside, { port: simulatorsPort, url: simulatorsUrl });
  const demoFindings = checkDemoValues(await selectDemoValues(database, outside));
  const isClean = simulatorFindings.length === 0;
  return [...partyFindings, ...simulatorFindings, ...demoFindings.filter(({ level }) => level !== 'good' || isClean)];
}

async function selectDemoValues(database: Database, outside: Outside): Promise<DemoValues> {
  const { families, subjects } = configInventory;
  const offers = families.flatMap((family) =>
    family
      .seedNames()
      .map((name) => family.subject(name))
      .filter((subject) => subject !== undefined),
  );
  const states: SeedSubject[] = [];
  for (const subject of [...subjects.filter(({ name }) => DEMO_SUBJECTS.has(name)), ...offers]) {
    states.push({ name: subject.name, ...(await readSeedState(database, subject)) });
  }
  const { accounts, walletApp } = seedOf<{ accounts: SeedAccount[]; walletApp: SeedAccount[] }>('deposit-accounts');
  const contact = subjects.find(({ name }) => name === 'setting:contact');
  const { lineLink } = ((await contact?.read(database)) ?? {}) as { lineLink?: string };
  const ownAccounts = outside.bank.accounts.filter(({ accountNo }) => accountNo !== '');
  return {
    subjects: await withoutIdleWheel(database, states),
    accounts: ownAccounts
      .filter((own) =>
        accounts.some(
          (account) => account.bankCode === own.bankCode && haveSameDigits(account.accountNo, own.accountNo),
        ),
      )
      .map(({ bankCode, accountNo }) => `${bankCode} ${accountNo}`),
    walletAppPhone: walletApp.find(({ accountNo }) => haveSameDigits(accountNo, outside.walletApp?.phone))?.accountNo,
    contactLink: lineLink === seedOf<{ lineLink: string }>('setting:contact').lineLink ? lineLink : undefined,
  };
}

/** Numbers may be written with dashes or spaces. */
const haveSameDigits = (a: string, b = ''): boolean => a.replaceAll(/\D/g, '') === b.replaceAll(/\D/g, '');

type SeedAccount = { bankCode?: string; accountNo: string };
const seedOf = <Seed>(name: string): Seed =>
  configInventory.subjects.find((subject) => subject.name === name)?.seed() as Seed;

/** Members can't spin a wheel while spins are switched off. */
async function withoutIdleWheel(database: Database, states: SeedSubject[]): Promise<SeedSubject[]> {
  const setting = configInventory.subjects.find(({ name }) => name === 'setting:spinwheel');
  const { isActive } = ((await setting?.read(database)) ?? {}) as { isActive?: boolean };
  return isActive ? states : states.filter(({ name }) => name !== 'wheel');
}

/** @throws {UserError} an entry is missing that something still needs */
export async function assertNeedsMet(database: Database, outside: Outside): Promise<void> {
  const needs = await selectUnmetNeeds(database, partyNeeds, entriesOf(outside));
  if (needs.length === 0) return;
  throw new UserError(needs.map((need) => `${unmetSentence(need)} ${need.remedy}`).join('\n'));
}

/** Logs what the doctor would find. */
export async function reportGoLive(
  installation: Installation,
  log: { warn: LogFindings; error: LogFindings },
): Promise<void> {
  for (const finding of await examineGoLive(installation)) {
    if (finding.level === 'good') continue;
    const { check, sentence, remedy, level } = finding;
    const fields = { check, finding: sentence, remedy };
    if (level === 'fault') log.error(fields, 'fault of the installation: see krapao doctor');
    else log.warn(fields, 'krapao doctor warns about the installation');
  }
}

type LogFindings = (fields: object, message: string) => void;
