import type { BankNames } from '@krapao/contract/shapes';
import type { Queryable } from '../../platform/database/database.ts';
import type { Limit } from '../../platform/http/rate-limit.ts';
import { versionedCache, refreshingCache } from '../../platform/jobs/cache.ts';
import {
  createAddressFilter,
  type Bank,
  type Banner,
  type DepositAccount,
  type Setting,
  type SettingDefinition,
  type SettingName,
  settingShapes,
  type WalletAccount,
} from './lookup.ts';
import { type LimitName, findLimit, type OperationLimit } from './limits.ts';
import { type SiteText, type SourceRow, selectLookups, selectVersion } from './queries.ts';
import { memoizePerConnection } from '../../platform/database/batched-reads.ts';

/** Snapshot of all operator data. */
export type SiteConfig = {
  banks: Bank[];
  sources: SourceRow[];
  texts: SiteText[];
  banners: Banner[];
  depositAccounts: DepositAccount[];
  walletAccounts: WalletAccount[];
  /**
   * What a bank is called: one name per code and language on every screen. A code that is no bank's (a gateway) has the
   * names given, or is shown as the code.
   */
  bankNames(code: string, own?: { nameTH: string; nameEN: string }): BankNames;
  /** Links that open bank apps; none when the configured value is malformed. */
  bankApps: Setting<'bankApps'>;
  /** Ranges of mobile numbers that can register; undefined when the configured value is malformed. */
  phoneRanges: readonly string[] | undefined;
  /** A value by its name. Throws for its readers only when the operator has set a malformed value. */
  setting<Name extends SettingName>(name: Name): Setting<Name>;
  /** The value of a setting that another module owns. Throws as `setting` does. */
  settingOf<Value>(definition: SettingDefinition<Value>): Value;
  /** A limit by its name. Throws when its row is missing. */
  limit(name: LimitName): OperationLimit;
  /** The same as it is counted for one caller; without `whom` for all of them together. */
  limitFor(name: LimitName, whom?: string): Limit;
  mayCallFrom(address: string): boolean;
  /** The site is terminated. An invalid status does not terminate a site. */
  isGone: boolean;
};

/** Least amounts at gateways, in minor units by bank code, that hold whatever the operator's table says. */
export type Minimums = Readonly<Record<string, bigint>>;

/**
 * Caches the operator's data by its version, which every API call checks. A change takes effect within a second on
 * every node.
 */
export function createSiteConfig(db: Queryable, minimums: Minimums): () => Promise<SiteConfig> {
  return versionedCache(createConfigVersion(db), () => readOperatorData(db, minimums));
}

async function readOperatorData(db: Queryable, minimums: Minimums): Promise<SiteConfig> {
  const { banks, sources, texts, banners, settings, depositAccounts, walletAccounts, limits, addressRules } =
    await selectLookups(db);
  const limitByName = new Map(limits.map((limit) => [limit.name, limit]));
  const limit = (name: LimitName): OperationLimit => {
    const found = limitByName.get(name);
    if (!found) throw new Error(`There is no limit "${name}" in lookup_limit.`);
    return found;
  };
  const values = new Map(settings.map(({ name, value }) => [name, value]));
  const read = settingReader(values);
  // Malformed names do not keep a member from seeing their wallet.
  const laoNames = settingShapes.bankNamesLA.safeParse(values.get('bankNamesLA')).data ?? {};
  return {
    banks,
    sources,
    texts,
    banners,
    depositAccounts: depositAccounts.map((account) => withMinimum(account, minimums)),
    walletAccounts,
    bankNames: (code, own = { nameTH: code, nameEN: code }) => {
      const { nameTH, nameEN } = banks.find((bank) => bank.code === code) ?? own;
      return { nameTH, nameEN, nameLA: laoNames[code] ?? nameEN };
    },
    bankApps: settingShapes.bankApps.safeParse(values.get('bankApps')).data ?? [],
    phoneRanges: settingShapes.phoneRanges.safeParse(values.get('phoneRanges')).data,
    setting: (name) => read<unknown>({ name, shape: settingShapes[name] }) as never,
    settingOf: read,
    limit,
    limitFor: (name, whom) => findLimit(name, limit(name), whom),
    mayCallFrom: createAddressFilter(addressRules),
    isGone: settingShapes.status.safeParse(values.get('status')).data?.terminated === 'gone',
  };
}

// Parsed lazily: a call reads only a few settings.
function settingReader(values: ReadonlyMap<string, unknown>): SiteConfig['settingOf'] {
  const parsed = new Map<string, unknown>();
  return ({ name, shape }) => {
    if (!parsed.has(name)) parsed.set(name, shape.parse(values.get(name)));
    return parsed.get(name) as never;
  };
}

function withMinimum(account: DepositAccount, minimums: Minimums): DepositAccount {
  const minimum = account.bankType === 'PAYMENT' ? minimums[account.bankCode] : undefined;
  return minimum === undefined ? account : { ...account, minimum };
}

/** What the operator changes holds that much later, on every node. */
const FRESH_MS = 1_000;

/**
 * The version of everything that operators configure. A process reads it at most once a second, however many ask; what was
 * read under it holds until it changes. Read again each time, it needs no connection that listens: a change that was made
 * while the database was away, or lost by a failover, is another version.
 */
export const createConfigVersion: (db: Queryable) => () => Promise<string> = memoizePerConnection((db) =>
  refreshingCache(() => selectVersion(db), FRESH_MS),
);
