import { type Fault, type GameCode, providerOf } from './games.ts';

/** What a provider's protocol calls its calls, as the simulated outside takes faults for them. */
export type ProviderCalls = {
  in: string;
  out: string;
  balance: string;
  /** Undefined for a provider without status inquiry. */
  check: string | undefined;
  /** It takes our reference. */
  isReferenced: boolean;
};

const plain = { in: 'deposit', out: 'withdraw', balance: 'balance', check: undefined, isReferenced: false };
const formpost = { in: 'in', out: 'out', balance: 'balance', check: 'find', isReferenced: true };

/** A line for each provider of the outside; each has a game whose code is its name. */
const CALLS: Readonly<Record<string, ProviderCalls>> = {
  pg: {
    in: 'TransferIn',
    out: 'TransferOut',
    balance: 'GetPlayerWallet',
    check: 'GetSingleTransaction',
    isReferenced: true,
  },
  askmebet: { ...plain, balance: 'credit' },
  joker2: { in: 'TC', out: 'TC', balance: 'GC', check: 'TCH', isReferenced: true },
  betflix: { ...plain, in: 'transfer', out: 'transfer', isReferenced: true },
  areaslot: plain,
  huayhd: { ...plain, check: 'transaction', isReferenced: true },
  imi: { ...plain, isReferenced: true },
  usun: plain,
  circus: { ...plain, in: 'in', out: 'out', isReferenced: true },
  slotracha: { ...plain, in: 'transfer', out: 'transfer', balance: 'credit' },
  pgslot: plain,
  naga: formpost,
  saming: formpost,
  royal: plain,
};

/** Providers without status inquiry and without turnover: an unknown outcome is left to an operator. */
export const TELLS_NOTHING: readonly GameCode[] = ['slotracha'];

export function callNamesOf(code: GameCode): ProviderCalls {
  const calls = CALLS[providerOf(code)];
  if (!calls) throw new Error(`missing calls of ${providerOf(code)}`);
  return calls;
}

/** One game of each provider. */
export const everyProvider: readonly GameCode[] = Object.keys(CALLS);

/** A possible end of a call that moves money. */
export type FaultCase = Fault & {
  name: string;
  /** The immediate answer to the member. */
  firstReply: 'DONE' | 'PROCESSING' | 'TRANSFER_FAIL';
  ends: 'DONE' | 'REVERSED';
};

/**
 * How long a call may take where some are meant to be late: what isn't meant to be must be in time on a busy machine, and
 * the third question, six seconds later, can already prove that nothing was done.
 */
export const FAULTY_TIMEOUT_MS = 2_500;

export const faultCases: readonly FaultCase[] = [
  { name: 'a plain yes', fault: 'slow', delayMs: 50, firstReply: 'DONE', ends: 'DONE' },
  { name: 'a refusal', fault: 'decline', firstReply: 'TRANSFER_FAIL', ends: 'REVERSED' },
  { name: 'done, the answer lost', fault: 'timeout-applied', firstReply: 'PROCESSING', ends: 'DONE' },
  { name: 'not done, the answer lost', fault: 'timeout-lost', firstReply: 'PROCESSING', ends: 'REVERSED' },
  { name: 'done, the answer garbage', fault: 'garbage', firstReply: 'PROCESSING', ends: 'DONE' },
  {
    name: 'not done, the answer garbage',
    fault: 'garbage',
    applied: false,
    firstReply: 'PROCESSING',
    ends: 'REVERSED',
  },
  { name: 'HTTP 500, not done', fault: 'error-500', firstReply: 'PROCESSING', ends: 'REVERSED' },
  { name: 'HTTP 500, but done', fault: 'error-500', applied: true, firstReply: 'PROCESSING', ends: 'DONE' },
  { name: 'done, an undocumented code', fault: 'unlisted-code', firstReply: 'PROCESSING', ends: 'DONE' },
  {
    name: 'not done, an undocumented code',
    fault: 'unlisted-code',
    applied: false,
    firstReply: 'PROCESSING',
    ends: 'REVERSED',
  },
  {
    name: 'done after the caller gave up',
    fault: 'slow',
    delayMs: FAULTY_TIMEOUT_MS * 1.25,
    firstReply: 'PROCESSING',
    ends: 'DONE',
  },
];
