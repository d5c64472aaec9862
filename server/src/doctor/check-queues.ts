import { type QueueSource, selectQueues } from '../settlement/queues.ts';
import type { Database } from '../platform/database/database.ts';
import { duration, type Finding, findingsOf } from './finding.ts';

/** A resolver's item of this age is no longer routine; the alert rules of deploy/prometheus use the same. */
const RESOLVER_SECONDS = 15 * 60;
const OPERATOR_SECONDS = 4 * 3_600;

/** Settlement that is pending, by age: money whose outcome is open, and what waits for an operator. */
export async function checkQueues(database: Database, sources: readonly QueueSource[]): Promise<Finding[]> {
  const { good, warning, fault } = findingsOf('queues');
  const queues = await selectQueues(database, sources);
  const findings = queues.flatMap(({ queue, operatedBy, waitsFor, count, oldestSeconds }) => {
    const limit = waitsFor === 'resolver' ? RESOLVER_SECONDS : OPERATOR_SECONDS;
    if (oldestSeconds <= limit) return [];
    const sentence = `${queue}: ${count} wait for ${waitsFor === 'resolver' ? 'the resolver' : 'an operator'}, the oldest for ${duration(oldestSeconds)}.`;
    if (waitsFor === 'operator') return [warning(sentence, `Settle them: ${operatedBy}.`)];
    return [fault(sentence, `See whether a node runs and its counterparty answers; then ${operatedBy}.`)];
  });
  const waiting = queues.reduce((sum, { count }) => sum + count, 0);
  return findings.length > 0 ? findings : [good(`${waiting} items wait, none for too long.`)];
}
