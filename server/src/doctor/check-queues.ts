import { selectFailing } from '../platform/jobs/failed-work.ts';
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
  for (const { queue, item, attempts, error } of await selectFailing(database, sources)) {
    const operatedBy = sources.find((source) => source.queue === queue)?.operatedBy ?? '';
    findings.push(
      fault(`${queue}: ${item} was tried ${attempts} times: ${error}.`, `Remove the cause; ${operatedBy}.`),
    );
  }
  const waiting = queues.reduce((sum, { count }) => sum + count, 0);
  return findings.length > 0 ? findings : [good(`${waiting} items wait, none for too long.`)];
}

/** A watched feed without a successful read for a minute. `silences`: consecutive reads without a reply. */
type UnreadFeed = { name: string; unreadMs: number; silences: number };

/** Findings about watched feeds that are not read, and feed lines that wait for an operator. */
export function checkFeeds(unread: readonly UnreadFeed[], openLines: number): Finding[] {
  const { good, warning, fault } = findingsOf('feeds');
  const findings = unread.map(({ name, unreadMs, silences }) =>
    fault(
      `${name} was not read for ${duration(unreadMs / 1_000)}, with ${silences} consecutive reads without a reply.`,
      'See whether a node runs, and its log: docs/runbooks/arrivals.md.',
    ),
  );
  if (openLines > 0)
    findings.push(warning(`${openLines} lines of feeds wait for an operator.`, 'Settle them: npm run arrivals.'));
  return findings.length > 0 ? findings : [good('Every watched feed was read within the last minute.')];
}
