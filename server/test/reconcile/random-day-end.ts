import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import { statementSource } from '../../src/adapters/statement/index.ts';
import { type Comparison, reconcile, unexplainedDifference } from '../../src/modules/reconcile/index.ts';
import { runCommand } from '../harness/command.ts';
import type { System } from '../harness/system.ts';
import { TOMORROW_CLOCK } from './random-day-clock.ts';
import { outsideWithLongTimeouts } from './run-command.ts';

const PATIENCE_MS = 180_000;
const ROUND_MS = 1_000;
/** Rounds between attempts to expire leases of codes, slips and gifts, which are longer than a round. */
const LEASE_EXPIRY_ROUNDS = 10;

/** Permitted differences between ledger and statements when nothing is pending, by party. */
const ALLOWED_DIFFERENCES: readonly { explanation: string; party: RegExp }[] = [
  { explanation: 'settled by a gateway', party: /^bank:KBANK-/ },
  // An account without a feed: without a slip the transfer is not reported.
  { explanation: 'not read yet, or waits for a slip', party: /^bank:GSB-/ },
  // Another amount than requested was paid, and the gateway's staff has not released it.
  { explanation: 'of no code, by the gateway', party: /^gateway:payonex$/ },
];

/** Describes pending or unexplained differences; undefined when ledger and statements agree. */
export function describeDifference(comparison: Comparison): string | undefined {
  if (comparison.partyTotal === undefined) return `${comparison.party} ${comparison.unit} tells nothing`;
  const unexplainedAmount = unexplainedDifference(comparison);
  if (unexplainedAmount !== 0n)
    return `${comparison.party} ${comparison.unit}: ${comparison.partyTotal} there, ${comparison.ledgerTotal} here, ${unexplainedAmount} unexplained`;
  const unexpectedExplanation = comparison.explanations.find(
    ({ reason, upTo }) =>
      upTo ||
      !ALLOWED_DIFFERENCES.some((allowed) => allowed.explanation === reason && allowed.party.test(comparison.party)),
  );
  return (
    unexpectedExplanation &&
    `${comparison.party} ${comparison.unit}: ${unexpectedExplanation.reason} ${unexpectedExplanation.amount}`
  );
}

const DUE_TABLES = [
  `update transfer_leg set next_inquiry_at = now() where state = 'UNKNOWN'`,
  `update withdraw set next_inquiry_at = now() where state not in ('PAID', 'FAILED')`,
  `update deposit_feed set poll_at = now(), wakes = wakes + 1`,
  `update incentive_condition set look_at = now() where not is_told and (state <> 'ACTIVE' or expires_at <= now())`,
];
const LEASED_TABLES = [
  `update qrcode set inquire_at = now(), wakes = wakes + 1 where inquire_at is not null`,
  `update slip set work_at = now() where work_at is not null`,
  `update incentive_grant set leased_until = now() where state = 'OPEN'`,
  `update truelink_gift set work_at = now(), redeemed_at = redeemed_at - interval '1 minute' where work_at is not null`,
];

/**
 * Makes all scheduled work due until nothing is pending and no statement has an entry missing in the ledger.
 * @throws with the remaining differences on timeout
 */
export async function waitForReconciliation(system: System): Promise<Comparison[]> {
  const source = statementSource(outsideWithLongTimeouts(system), TOMORROW_CLOCK, true);
  let remainingWork: unknown;
  const startMs = performance.now();
  for (let round = 0; performance.now() - startMs < PATIENCE_MS; round += 1) {
    for (const now of [...DUE_TABLES, ...(round % LEASE_EXPIRY_ROUNDS === 0 ? LEASED_TABLES : [])])
      await system.database.query(now);
    await wait(ROUND_MS);
    await settleManualLegs(system);
    const pendingWork = await countPending(system);
    remainingWork = pendingWork;
    if (Object.values(pendingWork).some((count) => count > 0)) continue;
    const comparisons = await reconcile(system.database, source);
    const differences = comparisons.flatMap((comparison) => describeDifference(comparison) ?? []);
    if (differences.length === 0) return comparisons;
    remainingWork = differences;
  }
  throw new Error(`the day does not end: ${JSON.stringify(remainingWork)}`);
}

type ManualLeg = { reference: string; provider: string; username: string; direction: 'in' | 'out'; done: string };

/**
 * Without transfer inquiries, play during an unknown outcome leaves the transfer to an operator, who settles it with
 * the provider's real outcome.
 */
async function settleManualLegs(system: System): Promise<void> {
  const { rows } = await system.database.query<ManualLeg>(
    `select l.provider_reference as reference, l.provider, l.username, l.direction,
            (select coalesce(sum(d.credits), 0)::text from transfer_leg d
              where d.state = 'DONE' and d.direction = l.direction
                and d.provider = l.provider and d.username = l.username) as done
       from transfer_leg l where l.state = 'MANUAL' and l.proof is null`,
  );
  if (rows.length === 0) return;
  const { games } = (await system.simulatorsApi('GET /control/totals')).body as { games: PlayerTotals[] };
  for (const { reference, provider, username, direction, done } of rows) {
    const player = games.find((game) => game.provider === provider && game.username === username.toLowerCase());
    assert.ok(player, `${username} at ${provider}`);
    const transferred = direction === 'in' ? player.transferredIn : player.transferredOut;
    const proof = BigInt(transferred.replace('.', '')) === BigInt(done) ? 'refused' : 'applied';
    // Refused while a server holds the lease: the next round retries.
    await runCommand(system, 'transfers', ['settle', reference, proof, 'test', 'as', 'the', 'provider', 'tells']);
  }
}

type PlayerTotals = { provider: string; username: string; transferredIn: string; transferredOut: string };

async function countPending({ database }: System): Promise<Record<string, number>> {
  const { rows } = await database.query<Record<string, number>>(
    `select (select count(*) from transfer_leg where state not in ('DONE', 'REVERSED'))::int as legs,
            (select count(*) from withdraw where state not in ('PAID', 'FAILED'))::int as withdrawals,
            (select count(*) from slip where state not in ('CREDITED', 'FAILED'))::int as slips,
            (select count(*) from truelink_gift where state not in ('CREDITED', 'FAILED'))::int as gifts,
            (select count(*) from qrcode where state = 'CREATING')::int as codes,
            (select count(*) from deposit_arrival where state = 'NEW' or member_id is not null and state <> 'CREDITED')::int as arrivals,
            (select count(*) from incentive_grant where state = 'OPEN')::int as grants,
            (select count(*) from incentive_condition
              where not is_told and (state <> 'ACTIVE' or expires_at <= now()))::int as endings`,
  );
  return rows[0] ?? {};
}
