import { type Queue, selectQueues } from '../settlement/queues.ts';
import type { Database } from '../platform/database/database.ts';
import { duration, type Finding, findingsOf } from './finding.ts';

/** A resolver's item of this age is no longer routine; the alert rules of deploy/prometheus use the same. */
const RESOLVER_SECONDS = 15 * 60;
const OPERATOR_SECONDS = 4 * 3_600;

const OPERATED_BY: Readonly<Record<Queue['queue'], string>> = {
  transfer: 'npm run transfers (docs/runbooks/transfers.md)',
  withdraw: 'npm run payouts (docs/runbooks/payouts.md)',
  qrcode: 'npm run deposits (docs/runbooks/parked-deposits.md)',
  arrival: 'npm run arrivals (docs/runbooks/arrivals.md)',
  slip: 'npm run slips (docs/runbooks/slips.md)',
  gift: 'npm run deposits (docs/runbooks/parked-deposits.md)',
  incentive: 'npm run operator-log, and the log of the server',
  chat: 'npm run chat (docs/runbooks/chat.md)',
};

/** Settlement that is pending, by age: money whose outcome is open, and what waits for an operator. */
export async function checkQueues(database: Database): Promise<Finding[]> {
  const { good, warning, fault } = findingsOf('queues');
  const queues = await selectQueues(database);
  const findings = queues.flatMap(({ queue, waitsFor, count, oldestSeconds }) => {
    const limit = waitsFor === 'resolver' ? RESOLVER_SECONDS : OPERATOR_SECONDS;
    if (oldestSeconds <= limit) return [];
    const sentence = `${queue}: ${count} wait for ${waitsFor === 'resolver' ? 'the resolver' : 'an operator'}, the oldest for ${duration(oldestSeconds)}.`;
    if (waitsFor === 'operator') return [warning(sentence, `Settle them: ${OPERATED_BY[queue]}.`)];
    return [fault(sentence, `See whether a node runs and its counterparty answers; then ${OPERATED_BY[queue]}.`)];
  });
  const waiting = queues.reduce((sum, { count }) => sum + count, 0);
  return findings.length > 0 ? findings : [good(`${waiting} items wait, none for too long.`)];
}
