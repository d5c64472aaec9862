import { type ProviderFault, type GameCode, providerOf } from './games.ts';

/** Names of a provider's calls, as the simulators use them for faults. */
export type ProviderCallNames = {
  in: string;
  out: string;
  balance: string;
  /** Undefined for a provider without transfer inquiries. */
  check: string | undefined;
  /** Whether the provider accepts our reference. */
  isReferenced: boolean;
};

const plainCalls = { in: 'deposit', out: 'withdraw', balance: 'balance', check: undefined, isReferenced: false };
const formpostCalls = { in: 'in', out: 'out', balance: 'balance', check: 'find', isReferenced: true };

/** One entry per provider; each provider has a game with its name as code. */
const CALL_NAMES: Readonly<Record<string, ProviderCallNames>> = {
  pg: {
    in: 'TransferIn',
    out: 'TransferOut',
    balance: 'GetPlayerWallet',
    check: 'GetSingleTransaction',
    isReferenced: true,
  },
  askmebet: { ...plainCalls, balance: 'credit' },
  joker2: { in: 'TC', out: 'TC', balance: 'GC', check: 'TCH', isReferenced: true },
  betflix: { ...plainCalls, in: 'transfer', out: 'transfer', isReferenced: true },
  areaslot: plainCalls,
  huayhd: { ...plainCalls, check: 'transaction', isReferenced: true },
  imi: { ...plainCalls, isReferenced: true },
  usun: plainCalls,
  circus: { ...plainCalls, in: 'in', out: 'out', isReferenced: true },
  slotracha: { ...plainCalls, in: 'transfer', out: 'transfer', balance: 'credit' },
  pgslot: plainCalls,
  naga: formpostCalls,
  saming: formpostCalls,
  royal: plainCalls,
};

/** Providers without status inquiry and without turnover: an unknown outcome is left to an operator. */
export const WITHOUT_TRANSFER_INQUIRY: readonly GameCode[] = ['slotracha'];

export function providerCallNames(code: GameCode): ProviderCallNames {
  const calls = CALL_NAMES[providerOf(code)];
  if (!calls) throw new Error(`missing calls of ${providerOf(code)}`);
  return calls;
}

/** One game per provider. */
export const ALL_PROVIDER_GAMES: readonly GameCode[] = Object.keys(CALL_NAMES);

/** A possible outcome of a money call. */
export type FaultCase = ProviderFault & {
  name: string;
  /** The immediate answer to the member. */
  firstReply: 'DONE' | 'PROCESSING' | 'TRANSFER_FAIL';
  expectedEnd: 'DONE' | 'REVERSED';
};

/**
 * Timeout of calls where some replies are late on purpose: other replies must be in time on a busy machine, and the
 * third inquiry, six seconds later, can already prove absence.
 */
export const FAULTY_TIMEOUT_MS = 2_500;

export const PROVIDER_FAULT_CASES: readonly FaultCase[] = [
  { name: 'a plain yes', fault: 'slow', delayMs: 50, firstReply: 'DONE', expectedEnd: 'DONE' },
  { name: 'a refusal', fault: 'decline', firstReply: 'TRANSFER_FAIL', expectedEnd: 'REVERSED' },
  { name: 'done, the answer lost', fault: 'timeout-applied', firstReply: 'PROCESSING', expectedEnd: 'DONE' },
  { name: 'not done, the answer lost', fault: 'timeout-lost', firstReply: 'PROCESSING', expectedEnd: 'REVERSED' },
  { name: 'done, the answer garbage', fault: 'garbage', firstReply: 'PROCESSING', expectedEnd: 'DONE' },
  {
    name: 'not done, the answer garbage',
    fault: 'garbage',
    applied: false,
    firstReply: 'PROCESSING',
    expectedEnd: 'REVERSED',
  },
  { name: 'HTTP 500, not done', fault: 'error-500', firstReply: 'PROCESSING', expectedEnd: 'REVERSED' },
  { name: 'HTTP 500, but done', fault: 'error-500', applied: true, firstReply: 'PROCESSING', expectedEnd: 'DONE' },
  { name: 'done, an undocumented code', fault: 'unlisted-code', firstReply: 'PROCESSING', expectedEnd: 'DONE' },
  {
    name: 'not done, an undocumented code',
    fault: 'unlisted-code',
    applied: false,
    firstReply: 'PROCESSING',
    expectedEnd: 'REVERSED',
  },
  {
    name: 'done after the caller gave up',
    fault: 'slow',
    delayMs: FAULTY_TIMEOUT_MS * 1.25,
    firstReply: 'PROCESSING',
    expectedEnd: 'DONE',
  },
];
