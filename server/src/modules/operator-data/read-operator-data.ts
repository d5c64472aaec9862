import type { BankNames } from '@krapao/contract/shapes';
import { memoizePerConnection } from '../../platform/database/batched-reads.ts';
import type { Queryable } from '../../platform/database/database.ts';
import type { Parties } from '../../platform/documents/subject.ts';
import type { Limit } from '../../platform/http/rate-limit.ts';
import { versionedCache, refreshingCache } from '../../platform/jobs/cache.ts';
import { type LimitName, buildLimit, type OperationLimit } from './limits.ts';
import {
  createAddressFilter,
  type Bank,
  type Banner,
  type DepositAccount,
  hasParty,
  type OfferedAccount,
  type SettingValue,
  type SettingDefinition,
  type SettingName,
  settingShapes,
  type WalletAccount,
} from './operator-data.ts';
import { type SiteText, type SourceRow, selectOperatorRows, selectVersion } from './queries.ts';
import { stopSettings, type SwitchName } from './switch.ts';

/** Snapshot of all operator data. */
export type OperatorData = {
  banks: Bank[];
  sources: SourceRow[];
  texts: SiteText[];
  banners: Banner[];
  /**
   * Methods whose gateway or account is in the outside file. Feeds, slips and late payments use them even while they are
   * stopped.
   */
  depositAccounts: DepositAccount[];
  /** Accounts of the wallet app in the outside file. */
  walletAccounts: WalletAccount[];
  /** What members see. A stopped gateway stays, because its open codes can be paid; stopped accounts are left out. */
  offeredMethods: { depositAccounts: OfferedAccount[]; walletAccounts: WalletAccount[] };
  /** Whether an operator has stopped this. */
  isStopped(name: SwitchName): boolean;
  /**
   * The names of a bank, equal on every screen. A code without a bank (a gateway) gets the fallback names, or the code.
   */
  bankNames(code: string, fallbackNames?: { nameTH: string; nameEN: string }): BankNames;
  /** Links that open bank apps; none when the configured value is malformed. */
  bankApps: SettingValue<'bankApps'>;
  /** Names of game providers; none when the configured value is malformed. */
  gameProviders: SettingValue<'gameProviders'>;
  /** Ranges of mobile numbers that can register; undefined when the configured value is malformed. */
  phoneRanges: readonly string[] | undefined;
  /** Reads a setting. Throws when the operator has set a malformed value. */
  setting<Name extends SettingName>(name: Name): SettingValue<Name>;
  /** Reads a setting that another module owns. Throws as `setting` does. */
  settingOf<Value>(definition: SettingDefinition<Value>): Value;
  /** Reads a limit. Throws when its row is missing. */
  limit(name: LimitName): OperationLimit;
  /** The limit of one caller; without `callerKey` the limit of all callers together. */
  limitFor(name: LimitName, callerKey?: string): Limit;
  mayCallFrom(address: string): boolean;
  /** Whether the site is terminated. An invalid status does not terminate a site. */
  isTerminated: boolean;
};

/** Minimum amounts of gateways, in minor units by bank code. They override the operator's table. */
export type Minimums = Readonly<Record<string, bigint>>;

/**
 * Caches the operator's data by its version, which every API call checks. A change takes effect within a second on
 * every node.
 */
export function createOperatorDataReader(
  db: Queryable,
  minimums: Minimums,
  parties: Parties,
): () => Promise<OperatorData> {
  return versionedCache(createOperatorVersion(db), () => loadOperatorData(db, minimums, parties));
}

async function loadOperatorData(db: Queryable, minimums: Minimums, parties: Parties): Promise<OperatorData> {
  const rows = await selectOperatorRows(db);
  const { banks, sources, texts, banners, settings, limits, addressRules } = rows;
  const stoppedNames = new Set(rows.stopped.map(({ name }) => name));
  const isStopped = (name: SwitchName): boolean => stoppedNames.has(name);
  const depositAccounts = rows.depositAccounts
    .filter((account) => hasParty(parties, account))
    .map((account) => withMinimum(account, minimums));
  const walletAccounts = rows.walletAccounts.filter(({ accountNo }) => accountNo === parties.walletAppPhone);
  const limitByName = new Map(limits.map((limit) => [limit.name, limit]));
  const limit = (name: LimitName): OperationLimit => {
    const limitRow = limitByName.get(name);
    if (!limitRow) throw new Error(`There is no limit "${name}" in operator_data_limit.`);
    return limitRow;
  };
  const values = stopSettings(new Map(settings.map(({ name, value }) => [name, value])), isStopped);
  const readSetting = settingReader(values);
  // Malformed Lao names must not hide the wallet from members, so they are ignored.
  const laoNames = settingShapes.bankNamesLA.safeParse(values.get('bankNamesLA')).data ?? {};
  return {
    banks,
    sources,
    texts,
    banners,
    depositAccounts,
    walletAccounts,
    offeredMethods: {
      depositAccounts: depositAccounts
        .map((account) => ({ ...account, isStopped: isMethodStopped(account, isStopped) }))
        .filter(({ bankType, isStopped: isAccountStopped }) => bankType === 'PAYMENT' || !isAccountStopped),
      walletAccounts: walletAccounts.filter(
        ({ mode }) => !isStopped(mode === 'GIFT' ? 'deposit.truelink' : 'deposit.wallet-app'),
      ),
    },
    isStopped,
    bankNames: (code, fallbackNames = { nameTH: code, nameEN: code }) => {
      const { nameTH, nameEN } = banks.find((bank) => bank.code === code) ?? fallbackNames;
      return { nameTH, nameEN, nameLA: laoNames[code] ?? nameEN };
    },
    bankApps: settingShapes.bankApps.safeParse(values.get('bankApps')).data ?? [],
    gameProviders: settingShapes.gameProviders.safeParse(values.get('gameProviders')).data ?? {},
    phoneRanges: settingShapes.phoneRanges.safeParse(values.get('phoneRanges')).data,
    setting: (name) => readSetting<unknown>({ name, shape: settingShapes[name] }) as never,
    settingOf: readSetting,
    limit,
    limitFor: (name, callerKey) => buildLimit(name, limit(name), callerKey),
    mayCallFrom: createAddressFilter(addressRules),
    isTerminated: settingShapes.status.safeParse(values.get('status')).data?.terminated === 'gone',
  };
}

// Parsed lazily, because a call reads only a few settings.
function settingReader(values: ReadonlyMap<string, unknown>): OperatorData['settingOf'] {
  const parsedValues = new Map<string, unknown>();
  return ({ name, shape }) => {
    if (!parsedValues.has(name)) parsedValues.set(name, shape.parse(values.get(name)));
    return parsedValues.get(name) as never;
  };
}

function isMethodStopped({ bankType, bankCode }: DepositAccount, isStopped: OperatorData['isStopped']): boolean {
  if (bankType === 'PAYMENT') return isStopped(`deposit.qrcode:${bankCode}`);
  return isStopped('deposit.bank-transfer') || isStopped(`deposit.bank-transfer:${bankCode}`);
}

function withMinimum(account: DepositAccount, minimums: Minimums): DepositAccount {
  const minimum = account.bankType === 'PAYMENT' ? minimums[account.bankCode] : undefined;
  return minimum === undefined ? account : { ...account, minimum };
}

/** A change by the operator takes effect after at most this delay, on every node. */
const VERSION_CACHE_MS = 1_000;

/**
 * Version of everything that operators configure. A process reads the version at most once a second; cached data is
 * valid until the version changes. Polling needs no listening connection: a change during a database outage or a
 * failover still has another version.
 */
export const createOperatorVersion: (db: Queryable) => () => Promise<string> = memoizePerConnection((db) =>
  refreshingCache(() => selectVersion(db), VERSION_CACHE_MS),
);
