import { depositMethodId } from '@krapao/contract/deposit-advice';
import type { DepositAdvice, MethodFacts } from '@krapao/contract/endpoints/deposit/advice';
import type { Currency } from '@krapao/contract/money';
import { isOpenAt, type DepositAccount, type OperatorData } from '../../operator-data/index.ts';

/** Statistics of one deposit method in one currency. */
export type MethodStat = {
  /** `qr CODE`, `slip`, `gift`, or the house account that receives the money. */
  method: string;
  currency: Currency;
  /** Median time from payment to credit; null without samples. */
  medianMs: number | null;
  samples: number;
  /** QR codes of the last minutes, and how many of them failed. */
  created: number;
  failed: number;
};

/** A member's uses of a method. */
export type MethodUse = Pick<MethodStat, 'method'> & {
  lastUsedAt: Date | null;
  lastAmount: bigint | null;
  lastWorked: boolean;
};

/** A gateway is unhealthy when this many of its last codes failed. */
export const FAILURES_MAX = 3;
/** Codes that decide about the health of a gateway. */
export const LAST_CODES = 5;

export const qrMethod = (gateway: string): string => `qr ${gateway}`;
export const SLIP_METHOD = 'slip';
export const GIFT_METHOD = 'gift';

/** At least one second: clocks of the parties differ. */
export const medianSecondsOf = ({ medianMs }: Pick<MethodStat, 'medianMs'>): number | null =>
  medianMs === null ? null : Math.max(1, Math.ceil(medianMs / 1_000));

type AdviceData = Pick<OperatorData, 'offeredMethods' | 'setting'>;

export type AdviceInput = {
  now: Date;
  currency: Currency;
  /** Whether the member's currency is held by the wallet app. */
  hasWalletApp: boolean;
  operatorData: AdviceData;
  stats: readonly MethodStat[];
  uses: readonly MethodUse[];
  houseAccountOf: (account: DepositAccount) => string;
  walletHouseAccount: string;
};

/** Facts about each offered method, in the operator's order. */
export function assembleAdvice(input: AdviceInput): DepositAdvice {
  const { now, currency, hasWalletApp, operatorData } = input;
  const { offeredMethods } = operatorData;
  const factsOf = createFacts(input);
  const slips = slipHours(now, operatorData);
  const accounts = offeredMethods.depositAccounts.filter((account) => account.currency === currency);
  const ofType = (type: DepositAccount['bankType']) => accounts.filter(({ bankType }) => bankType === type);
  const wallets = hasWalletApp ? offeredMethods.walletAccounts : [];
  const always = { isOpen: true, opensAt: null };
  const methods = [
    ...ofType('PAYMENT').map((account) =>
      factsOf(depositMethodId.qr(account), qrMethod(account.bankCode), { ...always, isOpen: !account.isStopped }),
    ),
    ...ofType('BANK').map((account) =>
      factsOf(
        depositMethodId.bank({ bankCode: account.bankCode, bankAccountNo: account.accountNo }),
        input.houseAccountOf(account),
        // Other accounts are credited by slip alone.
        account.mode === 'AUTO' ? always : slips,
      ),
    ),
    ...wallets.map(({ mode, accountNo }) =>
      factsOf(
        depositMethodId.wallet({ mode, walletAccountNo: accountNo }),
        mode === 'AUTO' ? input.walletHouseAccount : GIFT_METHOD,
        always,
      ),
    ),
    ...(operatorData.setting('isManual') ? [factsOf(depositMethodId.slip, SLIP_METHOD, slips)] : []),
  ];
  return {
    at: now.toISOString(),
    headroom: null,
    freesAt: null,
    lastAmount: findLastAmount(input.uses),
    ways: methods,
  };
}

const MINOR_PER_UNIT = 100n;

/** Whole units: transfers and codes may add a fraction by which they are recognised. */
function findLastAmount(uses: readonly MethodUse[]): number | null {
  const [latest] = uses
    .filter(({ lastUsedAt }) => lastUsedAt !== null)
    .toSorted((a, b) => Number(b.lastUsedAt) - Number(a.lastUsedAt));
  const units = Number((latest?.lastAmount ?? 0n) / MINOR_PER_UNIT);
  return units > 0 ? units : null;
}

type Hours = Pick<MethodFacts, 'isOpen' | 'opensAt'>;

function createFacts({ currency, stats, uses }: AdviceInput) {
  const statOf = new Map(stats.filter((stat) => stat.currency === currency).map((stat) => [stat.method, stat]));
  const useOf = new Map(uses.map((use) => [use.method, use]));
  return (id: string, method: string, hours: Hours): MethodFacts => {
    const stat = statOf.get(method);
    const use = useOf.get(method);
    return {
      id,
      ...hours,
      isHealthy: (stat?.failed ?? 0) < FAILURES_MAX,
      medianSeconds: stat ? medianSecondsOf(stat) : null,
      samples: stat?.samples ?? 0,
      lastUsedAt: use?.lastUsedAt?.toISOString() ?? null,
      lastWorked: use?.lastWorked ?? false,
    };
  };
}

/** Whether slips are accepted, and when they are again. */
function slipHours(now: Date, { setting }: AdviceData): Hours {
  const { closedFrom, closedTo } = setting('slip');
  if (!setting('isManual')) return { isOpen: false, opensAt: null };
  const isOpen = isOpenAt(now, closedFrom, closedTo);
  return { isOpen, opensAt: isOpen ? null : nextAt(now, closedTo).toISOString() };
}

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const BANGKOK_OFFSET_MS = 7 * 60 * MINUTE_MS;

/** The next moment of a time of day, HH:mm in Thai time. */
function nextAt(now: Date, time: string): Date {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  const local = now.getTime() + BANGKOK_OFFSET_MS;
  const today = local - (local % DAY_MS) + (hours * 60 + minutes) * MINUTE_MS;
  return new Date((today > local ? today : today + DAY_MS) - BANGKOK_OFFSET_MS);
}
