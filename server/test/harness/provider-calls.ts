import { type Fault, type GameCode, providerOf } from './games.ts';

/** What a provider's protocol calls its calls, as the simulated outside takes faults for them. */
export type ProviderCalls = {
  in: string;
  out: string;
  balance: string;
  /** Undefined where nobody can be asked what became of a reference. */
  check: string | undefined;
};

/** A line for each protocol whose transfers are tried in every way that they can fail. */
const CALLS: Readonly<Record<string, ProviderCalls>> = {
  pg: { in: 'TransferIn', out: 'TransferOut', balance: 'GetPlayerWallet', check: 'GetSingleTransaction' },
  askmebet: { in: 'deposit', out: 'withdraw', balance: 'credit', check: undefined },
  joker2: { in: 'TC', out: 'TC', balance: 'GC', check: 'TCH' },
  betflix: { in: 'transfer', out: 'transfer', balance: 'balance', check: undefined },
  areaslot: { in: 'deposit', out: 'withdraw', balance: 'balance', check: undefined },
  huayhd: { in: 'deposit', out: 'withdraw', balance: 'balance', check: 'transaction' },
  imi: { in: 'deposit', out: 'withdraw', balance: 'balance', check: undefined },
  usun: { in: 'deposit', out: 'withdraw', balance: 'balance', check: undefined },
  circus: { in: 'in', out: 'out', balance: 'balance', check: undefined },
  slotracha: { in: 'transfer', out: 'transfer', balance: 'credit', check: undefined },
  pgslot: { in: 'deposit', out: 'withdraw', balance: 'balance', check: undefined },
  naga: { in: 'in', out: 'out', balance: 'balance', check: 'find' },
  saming: { in: 'in', out: 'out', balance: 'balance', check: 'find' },
  royal: { in: 'deposit', out: 'withdraw', balance: 'balance', check: undefined },
};

export function callNamesOf(code: GameCode): ProviderCalls {
  const calls = CALLS[providerOf(code)];
  if (!calls) throw new Error(`nobody has told the calls of ${providerOf(code)}`);
  return calls;
}

/** The games whose code is that of such a provider. */
export const testedGames: readonly GameCode[] = Object.keys(CALLS);

/** A way in which a call that moves money ends. */
export type FaultCase = Fault & {
  name: string;
  /** What the member is told at once. */
  told: 'DONE' | 'PROCESSING' | 'TRANSFER_FAIL';
  ends: 'DONE' | 'REVERSED';
};

/** The longest timeout with which the second question, two seconds later, can already prove that nothing was done. */
export const FAULTY_TIMEOUT_MS = 480;

export const faultCases: readonly FaultCase[] = [
  { name: 'a plain yes', fault: 'slow', delayMs: 50, told: 'DONE', ends: 'DONE' },
  { name: 'a refusal', fault: 'decline', told: 'TRANSFER_FAIL', ends: 'REVERSED' },
  { name: 'done, the answer lost', fault: 'timeout-applied', told: 'PROCESSING', ends: 'DONE' },
  { name: 'not done, the answer lost', fault: 'timeout-lost', told: 'PROCESSING', ends: 'REVERSED' },
  { name: 'done, the answer garbage', fault: 'garbage', told: 'PROCESSING', ends: 'DONE' },
  { name: 'not done, the answer garbage', fault: 'garbage', applied: false, told: 'PROCESSING', ends: 'REVERSED' },
  { name: 'HTTP 500, not done', fault: 'error-500', told: 'PROCESSING', ends: 'REVERSED' },
  { name: 'HTTP 500, but done', fault: 'error-500', applied: true, told: 'PROCESSING', ends: 'DONE' },
  { name: 'done after the caller gave up', fault: 'slow', delayMs: 600, told: 'PROCESSING', ends: 'DONE' },
];
