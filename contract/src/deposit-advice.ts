import { WALLET_APP_MINIMUM } from './constants.ts';
import type { ReplyBodyOf } from './endpoint.ts';
import type { DepositAdvice, MethodFacts } from './endpoints/deposit/advice.ts';
import type { getDepositMethods } from './endpoints/operator-data.ts';
import type { Currency } from './money.ts';

type Methods = ReplyBodyOf<typeof getDepositMethods>;

/** Ids of deposit methods: equal in the app, in `GET /api/deposit/advice` and across loads. */
export const depositMethodId = {
  qr: ({ bankCode }: { bankCode: string }): string => `qr ${bankCode}`,
  bank: ({ bankCode, bankAccountNo }: { bankCode: string; bankAccountNo: string }): string =>
    `bank ${bankCode} ${bankAccountNo}`,
  wallet: ({ mode, walletAccountNo }: { mode: string; walletAccountNo: string }): string =>
    `wallet ${mode} ${walletAccountNo}`,
  slip: 'slip',
} as const;

/**
 * A method that can be recommended, and its limits in whole units; null where there is none. `isAutomatic`: its money is
 * credited without a slip.
 */
export type Candidate = { id: string; isAutomatic: boolean; minimum: number | null; maximum: number | null };

/** Gateways that distinguish payments by their amount: a code requests up to {@link AMOUNT_INCREASE_MAX} more than was entered. */
export const AMOUNT_INCREASING_GATEWAYS: readonly string[] = ['PAYONEX'];
/** What is added to an amount at most, by currency, in whole units; also to that of an announced transfer. */
export const AMOUNT_INCREASE_MAX: Readonly<Record<Currency, number>> = { BAHT: 0.99, LAK: 99 };

/** The wallet app only holds baht. */
export const WALLET_APP_CURRENCY: Currency = 'BAHT';

/** Methods of a currency in the operator's order. Slips and gift links are omitted: they need something that exists. */
export function depositCandidates(
  { banks, wallets }: Pick<Methods, 'banks' | 'wallets'>,
  currency: Currency,
): Candidate[] {
  const own = banks.filter((account) => account.currency === currency);
  const ofType = (type: string) => own.filter(({ bankType }) => bankType === type);
  const limits = ({ minimum, maximum }: Methods['banks'][number]) => ({ minimum, maximum });
  const apps = currency === WALLET_APP_CURRENCY ? wallets.filter(({ mode }) => mode === 'AUTO') : [];
  return [
    ...ofType('PAYMENT')
      .filter(({ isStopped }) => !isStopped)
      .map((account) => ({ id: depositMethodId.qr(account), isAutomatic: true, ...limits(account) })),
    ...ofType('BANK').map((account) => ({
      id: depositMethodId.bank(account),
      isAutomatic: account.mode === 'AUTO',
      ...limits(account),
    })),
    ...apps.map((app) => ({
      id: depositMethodId.wallet(app),
      isAutomatic: true,
      minimum: WALLET_APP_MINIMUM,
      maximum: null,
    })),
  ];
}

/**
 * Why a method is recommended. LAST_USED: the member's latest successful one. ONLY_ONE: no other fits. FASTEST: lowest
 * median. FITS: first of the list.
 */
export type AdviceReason = 'LAST_USED' | 'ONLY_ONE' | 'FASTEST' | 'FITS';

export type Recommendation =
  | {
      outcome: 'METHOD';
      id: string;
      reason: AdviceReason;
      medianSeconds: number | null;
      /** The method recommended without an amount, and its limit that the amount exceeds. */
      instead: { id: string; bound: 'MINIMUM' | 'MAXIMUM'; limit: number } | null;
    }
  /** The amount exceeds what the member's limit leaves. */
  | { outcome: 'HEADROOM'; headroom: number; freesAt: string | null }
  /** No method fits. The nearest amounts above and below that one would take. */
  | { outcome: 'NONE'; minimum: number | null; maximum: number | null };

/** What is known of the methods; absent methods count as open and healthy. */
export type KnownFacts = Pick<DepositAdvice, 'at' | 'headroom' | 'freesAt' | 'ways'>;

/** Smallest amount of any method, in whole units. */
const MINIMUM_OF_ALL = 1;
/** Fewer samples make no reliable median. */
export const SAMPLES_MIN = 5;
const LAST_USED_WITHIN_MS = 90 * 24 * 60 * 60 * 1_000;

const minimumOf = ({ minimum }: Candidate): number => Math.max(minimum ?? 0, MINIMUM_OF_ALL);
const maximumOf = ({ maximum }: Candidate): number => maximum ?? Infinity;

/** Whether a method takes an amount. */
export const takesAmount = (method: Candidate, amount: number): boolean =>
  amount >= minimumOf(method) && amount <= maximumOf(method);

/**
 * Recommends one deposit method. One that needs a slip is recommended only where no other fits, also after it was used.
 * Deterministic; ties keep the operator's order.
 * @param facts undefined: none were received
 * @param amount in whole units; undefined: none was entered
 */
export function recommend(
  methods: readonly Candidate[],
  facts: KnownFacts | undefined,
  amount: number | undefined,
): Recommendation {
  if (facts && facts.headroom !== null && amount !== undefined && amount > facts.headroom)
    return { outcome: 'HEADROOM', headroom: facts.headroom, freesAt: facts.freesAt };
  const factsOf = new Map(facts?.ways.map((method) => [method.id, method]));
  const usable = methods.filter(({ id }) => {
    const known = factsOf.get(id);
    return !known || (known.isOpen && known.isHealthy);
  });
  const fitting = amount === undefined ? usable : usable.filter((method) => takesAmount(method, amount));
  const best = pickBest(fitting, factsOf, facts?.at);
  if (!best) return nearestLimits(usable, amount);
  return {
    outcome: 'METHOD',
    ...best,
    instead: replacedMethod(pickBest(usable, factsOf, facts?.at)?.id, usable, amount),
  };
}

type Best = { id: string; reason: AdviceReason; medianSeconds: number | null };
type FactsById = ReadonlyMap<string, MethodFacts>;

function pickBest(methods: readonly Candidate[], facts: FactsById, at: string | undefined): Best | undefined {
  const automatic = methods.filter(({ isAutomatic }) => isAutomatic);
  const preferred = automatic.length > 0 ? automatic : methods;
  const [first] = preferred;
  if (!first) return undefined;
  const known = preferred.flatMap(({ id }) => facts.get(id) ?? []);
  const best = (id: string, reason: AdviceReason): Best => ({
    id,
    reason,
    medianSeconds: reliableMedian(facts.get(id)),
  });
  const used = lowest(known, (method) => usedAgoMs(method, at));
  if (used) return best(used.id, 'LAST_USED');
  if (methods.length === 1) return best(first.id, 'ONLY_ONE');
  const fastest = lowest(known, reliableMedian);
  return fastest ? best(fastest.id, 'FASTEST') : best(first.id, 'FITS');
}

/** The first element with the lowest number; elements without one are skipped. */
function lowest<T>(elements: readonly T[], numberOf: (element: T) => number | null): T | undefined {
  let found: { element: T; number: number } | undefined;
  for (const element of elements) {
    const number = numberOf(element);
    if (number !== null && (!found || number < found.number)) found = { element, number };
  }
  return found?.element;
}

/** The median of a method; null with too few samples. */
export const reliableMedian = (facts: MethodFacts | undefined): number | null =>
  facts && facts.samples >= SAMPLES_MIN ? facts.medianSeconds : null;

/** Age of the member's last successful use; null when it is too old, unknown, or a later use failed. */
function usedAgoMs({ lastUsedAt, lastWorked }: MethodFacts, at: string | undefined): number | null {
  if (lastUsedAt === null || !lastWorked || at === undefined) return null;
  const ago = Date.parse(at) - Date.parse(lastUsedAt);
  return ago <= LAST_USED_WITHIN_MS ? ago : null;
}

function replacedMethod(
  usualId: string | undefined,
  usable: readonly Candidate[],
  amount: number | undefined,
): Extract<Recommendation, { outcome: 'METHOD' }>['instead'] {
  const usual = usable.find(({ id }) => id === usualId);
  if (!usual || amount === undefined || takesAmount(usual, amount)) return null;
  const { id } = usual;
  return amount > maximumOf(usual)
    ? { id, bound: 'MAXIMUM', limit: maximumOf(usual) }
    : { id, bound: 'MINIMUM', limit: minimumOf(usual) };
}

function nearestLimits(usable: readonly Candidate[], amount: number | undefined): Recommendation {
  const payable = usable.filter((method) => minimumOf(method) <= maximumOf(method));
  const above = payable.map(minimumOf).filter((minimum) => amount === undefined || !(minimum <= amount));
  const below = payable.map(maximumOf).filter((maximum) => amount !== undefined && maximum < amount);
  return {
    outcome: 'NONE',
    minimum: above.length > 0 ? Math.min(...above) : null,
    maximum: below.length > 0 ? Math.max(...below) : null,
  };
}
