import { CheckTimeout, runWithTimeout } from './check.ts';
import { type Finding, createFindingFactory } from './finding.ts';

/** A party's harmless call; `probe` undefined: it has none. */
type PartyCall = {
  party: string;
  call: string;
  probe: (() => Promise<CallOutcome>) | undefined;
  unprobed?: string | undefined;
  isPublic?: boolean;
};
type CallOutcome =
  | { outcome: 'proven'; note?: string }
  | { outcome: 'failed'; reason: string }
  | { outcome: 'unproven'; reason: string };

const { good, warning, fault } = createFindingFactory('calls');
const SILENT_PAGE = 'docs/runbooks/alerts.md#krapaocounterpartysilent';
/** Matches failure reasons that mean no reply: a timeout, or a network error. */
const NO_REPLY_PATTERN =
  /no answer within|no login in time|\b(?:ECONN\w+|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT)\b/;
const TRY_BY_HAND = 'Try it by hand with a small sum: docs/deploy/go-live.md.';

/**
 * Calls every party concurrently. A party is right only if its reply proves that it accepts the credentials.
 * @param timeoutMs longest duration of one party's calls
 */
export async function checkCalls(calls: readonly PartyCall[], timeoutMs: number): Promise<Finding[]> {
  const findings = await Promise.all(calls.map((call) => checkCall(call, timeoutMs)));
  return findings.flat();
}

async function checkCall({ party, call, probe, unprobed, isPublic }: PartyCall, timeoutMs: number): Promise<Finding[]> {
  if (probe === undefined) return [warning(`${party} is not provable: ${call}.`, TRY_BY_HAND)];
  const outcome = await outcomeOf(probe, timeoutMs);
  switch (outcome.outcome) {
    case 'proven': {
      const result = isPublic ? 'replied, without credentials' : 'accepts its credentials';
      const proof = `${party} ${result}: ${call}${outcome.note === undefined ? '' : `; ${outcome.note}`}.`;
      if (unprobed === undefined) return [good(proof)];
      return [good(proof), warning(`${party}.${unprobed} is not provable: no harmless call carries it.`, TRY_BY_HAND)];
    }
    case 'unproven':
      return [warning(`${party} is not provable now: ${outcome.reason}.`, TRY_BY_HAND)];
    case 'failed':
      return [
        fault(
          `${party} was called (${call}) and failed: ${outcome.reason}.`,
          NO_REPLY_PATTERN.test(outcome.reason)
            ? `Check its address and the firewall, then contact it: ${SILENT_PAGE}.`
            : `Compare ${entryOf(party)} of the outside file with its contract, restart every node: docs/deploy/outside-calls.md.`,
        ),
      ];
  }
}

async function outcomeOf(probe: NonNullable<PartyCall['probe']>, timeoutMs: number): Promise<CallOutcome> {
  try {
    return await runWithTimeout(timeoutMs, probe);
  } catch (error) {
    const reason = error instanceof CheckTimeout ? `no answer within ${timeoutMs} ms` : (error as Error).message;
    return { outcome: 'failed', reason };
  }
}

/** `bank payouts` is the entry `bank`. */
const entryOf = (party: string): string => party.split(' ')[0] ?? party;
