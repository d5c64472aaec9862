import { bankAccountKey, type Parties } from '../platform/documents/subject.ts';
import { type PartyNeed, unmetSentence } from '../platform/party-needs.ts';
import { configEditCommands, type Finding, createFindingFactory } from './finding.ts';

/** An enabled deposit method. `isOffered`: its gateway or account is in the outside file. */
export type EnabledMethod = {
  bankType: 'PAYMENT' | 'BANK';
  bankCode: string;
  accountNo: string;
  accountName: string;
  currency: string;
  isOffered: boolean;
};
type OwnAccount = Pick<EnabledMethod, 'bankCode' | 'accountNo' | 'accountName'>;
/** What members would be offered, and the parties of the outside file. */
export type OfferedParties = {
  methods: readonly EnabledMethod[];
  wallets: readonly { mode: string; accountNo: string }[];
  games: readonly { code: string; provider: string; isHidden: boolean }[];
  parties: Parties;
  /** The operator's accounts in the outside file. */
  ownAccounts: readonly OwnAccount[];
  /** Currencies of members' wallets. */
  currencies: readonly string[];
  /** Keys of the accounts that send payouts: members need not pay to them. */
  payoutAccounts: ReadonlySet<string>;
  unmetNeeds: readonly PartyNeed[];
};

const { good, warning, fault } = createFindingFactory('counterparties');
const METHODS = 'deposit-accounts';

/** Checks that the outside file has the party of everything that is enabled, and that its parties are used. */
export function checkParties(offered: OfferedParties): Finding[] {
  const findings = [
    ...offered.unmetNeeds.map((need) => fault(unmetSentence(need), need.remedy)),
    ...findMissingMethods(offered),
    ...findMissingProviders(offered),
    ...findEmptyOffer(offered),
    ...findMissingPayoutAccounts(offered),
    ...findOtherHolders(offered),
    ...findUnusedParties(offered),
  ];
  return findings.length > 0 ? findings : [good('The outside file has the party of every deposit method and game.')];
}

function findMissingMethods({ methods, wallets, parties }: OfferedParties): Finding[] {
  const missing = methods.filter(({ isOffered }) => !isOffered);
  return [
    ...missing.map(({ bankType, bankCode, accountNo, currency }) =>
      bankType === 'PAYMENT'
        ? fault(
            `The gateway ${bankCode} is enabled for ${currency}, but not in the outside file: members do not see it.`,
            `Add ${bankCode.toLowerCase()} to the outside file, or disable it: ${configEditCommands(METHODS)}`,
          )
        : fault(
            `The account ${bankCode} ${accountNo} (${currency}) is enabled, but not in the outside file: members do not see it.`,
            `Add it to bank.accounts of the outside file, or disable it: ${configEditCommands(METHODS)}`,
          ),
    ),
    ...wallets
      .filter(({ accountNo }) => accountNo !== parties.walletAppPhone)
      .map(({ mode, accountNo }) =>
        fault(
          `The wallet-app account ${accountNo} (${mode}) is enabled, but not in the outside file: members do not see it.`,
          `Set walletApp.phone of the outside file, or change the account: ${configEditCommands(METHODS)}`,
        ),
      ),
  ];
}

function findMissingProviders({ games, parties }: OfferedParties): Finding[] {
  const missing = games.filter(({ provider, isHidden }) => !isHidden && !parties.providers.has(provider));
  return [...Map.groupBy(missing, ({ provider }) => provider)].map(([provider, providerGames]) =>
    fault(
      `${providerGames.map(({ code }) => code).join(', ')}: the provider ${provider} is not in the outside file, and members do not see its games.`,
      `Add games.${provider} to the outside file, or hide its games: ${configEditCommands('games')}`,
    ),
  );
}

function findEmptyOffer({ methods, wallets, games, parties }: OfferedParties): Finding[] {
  const isOffered =
    methods.some((method) => method.isOffered) || wallets.some(({ accountNo }) => accountNo === parties.walletAppPhone);
  return [
    ...(isOffered ? [] : [warning('No deposit method is offered.', `Enable one: ${configEditCommands(METHODS)}`)]),
    ...(games.some(({ isHidden }) => !isHidden)
      ? []
      : [warning('No game is visible.', `Show one: ${configEditCommands('games')}`)]),
  ];
}

/** Withdrawals in a currency leave its first account in the outside file; without one they are refused. */
function findMissingPayoutAccounts({ currencies, payoutAccounts, methods }: OfferedParties): Finding[] {
  const missing = currencies.filter(
    (currency) => ![...payoutAccounts].some((account) => account.endsWith(` ${currency}`)),
  );
  return missing.map((currency) =>
    warning(
      methods.some((method) => method.isOffered && method.currency === currency)
        ? `No account of bank.accounts pays out ${currency}: members can deposit it, but not withdraw it.`
        : `No account of bank.accounts pays out ${currency}: members with such a wallet can't withdraw.`,
      'Add an account in that currency to bank.accounts of the outside file, and restart every node.',
    ),
  );
}

/** A slip is credited only if the holder on it is the holder that members are shown. */
function findOtherHolders({ methods, ownAccounts }: OfferedParties): Finding[] {
  return methods.flatMap(({ bankCode, accountNo, accountName }) => {
    const own = ownAccounts.find((account) => account.bankCode === bankCode && account.accountNo === accountNo);
    if (!own || own.accountName === accountName) return [];
    return [
      warning(
        `Members see the account ${bankCode} ${accountNo} as "${accountName}", the outside file has "${own.accountName}": slips may be refused.`,
        `Write both as the bank does: ${configEditCommands(METHODS)}`,
      ),
    ];
  });
}

function findUnusedParties({ methods, wallets, games, parties, payoutAccounts }: OfferedParties): Finding[] {
  const remedy = `Enable it (${configEditCommands(METHODS)}), or remove it from the outside file.`;
  const accounts = methods.filter(({ bankType }) => bankType === 'BANK').map(bankAccountKey);
  const unusedAccounts = [...parties.bankAccounts].filter(
    (account) => !accounts.includes(account) && !payoutAccounts.has(account),
  );
  const unusedGateways = [...parties.gateways.keys()].filter(
    (code) => !methods.some(({ bankType, bankCode }) => bankType === 'PAYMENT' && bankCode === code),
  );
  const isWalletUnused = parties.walletAppPhone !== undefined && wallets.length === 0;
  const unusedProviders = [...parties.providers].filter(
    (name) => !games.some(({ provider, isHidden }) => provider === name && !isHidden),
  );
  return [
    ...unusedAccounts.map((account) =>
      warning(`The account ${account} of the outside file is no deposit method and pays nothing out.`, remedy),
    ),
    ...unusedGateways.map((code) => warning(`The gateway ${code} of the outside file is not enabled.`, remedy)),
    ...(isWalletUnused ? [warning('The wallet app of the outside file is not enabled.', remedy)] : []),
    ...unusedProviders.map((name) =>
      warning(
        `No visible game is of the provider ${name} of the outside file.`,
        `Show one (${configEditCommands('games')}), or remove games.${name} from the outside file.`,
      ),
    ),
  ];
}
