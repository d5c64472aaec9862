import { type EncryptionKeys, opensCheck, WRONG_KEY } from '../platform/crypto/encryption.ts';
import { countSealedWithOtherKeys, type SealedColumn } from '../platform/crypto/reencrypt.ts';
import { createSecretBox } from '../platform/crypto/secret-box.ts';
import type { Database } from '../platform/database/database.ts';
import { selectFailing } from '../platform/jobs/failed-work.ts';
import { type QueueSource, selectQueues } from '../platform/jobs/queues.ts';
import { formatDuration, type Finding, createFindingFactory } from './finding.ts';

/** Age from which an item of a resolver is overdue; the alert rules of deploy/prometheus use the same. */
const RESOLVER_SECONDS = 15 * 60;
const OPERATOR_SECONDS = 4 * 3_600;

/** Checks pending settlement by age: money with an open outcome, and items that wait for an operator. */
export async function checkQueues(database: Database, sources: readonly QueueSource[]): Promise<Finding[]> {
  const { good, warning, fault } = createFindingFactory('queues');
  const queues = await selectQueues(database, sources);
  const findings = queues.flatMap(({ queue, operatedBy, waitsFor, count, oldestSeconds }) => {
    const limit = waitsFor === 'resolver' ? RESOLVER_SECONDS : OPERATOR_SECONDS;
    if (oldestSeconds <= limit) return [];
    const sentence = `${queue}: ${count} wait for ${waitsFor === 'resolver' ? 'the resolver' : 'an operator'}, the oldest for ${formatDuration(oldestSeconds)}.`;
    if (waitsFor === 'operator') return [warning(sentence, `Settle them: ${operatedBy}.`)];
    return [fault(sentence, `See whether a node runs and its counterparty answers; then ${operatedBy}.`)];
  });
  for (const { queue, item, attempts, error } of await selectFailing(database, sources)) {
    const operatedBy = sources.find((source) => source.queue === queue)?.operatedBy ?? '';
    findings.push(
      fault(`${queue}: ${item} was tried ${attempts} times: ${error}.`, `Remove the cause; ${operatedBy}.`),
    );
  }
  const waitingCount = queues.reduce((total, { count }) => total + count, 0);
  return findings.length > 0 ? findings : [good(`${waitingCount} items wait, none for too long.`)];
}

/** A watched feed without a successful read for a minute. `silences`: consecutive reads without a reply. */
type UnreadFeed = { name: string; unreadMs: number; silences: number };

/** Whether a watched feed was ever read. */
type FeedRead = { name: string; isRead: boolean };

/** `expected`: feeds of deposit methods that the outside file has; `openLines`: lines that wait for an operator. */
type FeedFacts = {
  expected: readonly string[];
  unread: readonly UnreadFeed[];
  reads: readonly FeedRead[];
  openLines: number;
};

/** Checks feeds that are not read, and feed lines that wait for an operator. */
export function checkFeeds({ expected, unread, reads, openLines }: FeedFacts): Finding[] {
  const { good, warning, fault } = createFindingFactory('feeds');
  const findings: Finding[] = unread.map(({ name, unreadMs, silences }) =>
    fault(
      `${name} was not read for ${formatDuration(unreadMs / 1_000)}, with ${silences} consecutive reads without a reply.`,
      'See whether a node runs, and its log: docs/runbooks/arrivals.md.',
    ),
  );
  const remedy = 'Start the server, and run doctor again after a minute: docs/runbooks/arrivals.md.';
  if (reads.length === 0) findings.push(warning('No feed was ever read: no transfer can arrive yet.', remedy));
  for (const name of expected) {
    if (reads.length > 0 && !reads.some((feed) => feed.name === name)) {
      findings.push(
        warning(
          `${name} is a deposit method, and no server reads it.`,
          'Restart every node: it reads the outside file at its start.',
        ),
      );
    }
  }
  for (const { name, isRead } of reads) {
    if (!isRead && !unread.some((feed) => feed.name === name))
      findings.push(warning(`${name} was never read.`, remedy));
  }
  if (openLines > 0)
    findings.push(warning(`${openLines} lines of feeds wait for an operator.`, 'Settle them: krapao arrivals.'));
  return findings.length > 0 ? findings : [good('Every watched feed was read within the last minute.')];
}

/** Checks a started rotation of the encryption key: rows still sealed with another key than the current one. */
export async function checkEncryption(
  database: Database,
  { encryptionKey, otherEncryptionKeys }: EncryptionKeys,
  columns: readonly SealedColumn[],
): Promise<Finding[]> {
  const { good, warning, fault } = createFindingFactory('encryption at rest');
  const otherKeyCount = otherEncryptionKeys.length;
  const secretBox = createSecretBox(encryptionKey, otherEncryptionKeys);
  const opens = await opensCheck(database, secretBox);
  if (opens === false) return [fault(WRONG_KEY, 'docs/deploy/keys.md; a server with this key does not start.')];
  if (opens === undefined) {
    return [warning('No server has started on this database: nothing proves its key.', 'Start the server.')];
  }
  // Nothing is sealed with another key: the server refuses to start with a wrong one.
  if (otherKeyCount === 0) return [good('There is one key, and it opens this database.')];
  let remainingCount = 0;
  for (const column of columns) remainingCount += await countSealedWithOtherKeys(database, secretBox, column);
  return [
    remainingCount > 0
      ? warning(
          `A rotation of the key is under way: ${remainingCount} texts are encrypted with another key than the present one.`,
          'krapao reencrypt, once every node has the present key (docs/deploy/keys.md).',
        )
      : warning(
          `The secrets file has ${otherKeyCount} more key${otherKeyCount > 1 ? 's' : ''}, and nothing is encrypted with ${otherKeyCount > 1 ? 'them' : 'it'}.`,
          'If the rotation is over, take them out of otherEncryptionKeys and restart the nodes (docs/deploy/keys.md).',
        ),
  ];
}
