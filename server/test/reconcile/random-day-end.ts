import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import { type Comparison, reconcile, unexplained } from '../../src/modules/reconcile/index.ts';
import { statementSource } from '../../src/adapters/statement/index.ts';
import { runCommand } from '../harness/command.ts';
import type { System } from '../harness/system.ts';
import { TOMORROW } from './random-day-clock.ts';
import { outsideWithLongTimeouts } from './run-command.ts';

const PATIENCE_MS = 180_000;
const ROUND_MS = 1_000;
/** Rounds between attempts to expire leases of codes, slips and gifts, which are longer than a round. */
const LEASED_EVERY = 10;

/** Permitted differences between ledger and statements when nothing is pending, by party. */
const STAYS: readonly { what: string; party: RegExp }[] = [
  { what: 'settled by a gateway', party: /^bank:KBANK-/ },
  // An account without a feed: without a slip the transfer is not reported.
  { what: 'not read yet, or waits for a slip', party: /^bank:GSB-/ },
  // Another amount than requested was paid, and the gateway's staff has not released it.
  { what: 'of no code, by the gateway', party: /^gateway:payonex$/ },
];

/** Describes pending or unexplained differences; undefined when ledger and statements agree. */
export function describeRest(one: Comparison): string | undefined {
  if (one.theirs === undefined) return `${one.party} ${one.unit} tells nothing`;
  const rest = unexplained(one);
  if (rest !== 0n) return `${one.party} ${one.unit}: ${one.theirs} there, ${one.ours} here, ${rest} unexplained`;
  const odd = one.explanations.find(
    ({ what, upTo }) => upTo || !STAYS.some((stays) => stays.what === what && stays.party.test(one.party)),
  );
  return odd && `${one.party} ${one.unit}: ${odd.what} ${odd.amount}`;
}

const EVERY_ROUND = [
  `update transfer_leg set next_ask_at = now() where state = 'UNKNOWN'`,
  `update withdraw set next_ask_at = now() where state not in ('PAID', 'FAILED')`,
  `update deposit_feed set poll_at = now(), wakes = wakes + 1`,
  `update incentive_condition set look_at = now() where not is_told and (state <> 'ACTIVE' or expires_at <= now())`,
];
const LEASED = [
  `update qrcode set inquire_at = now(), wakes = wakes + 1 where inquire_at is not null`,
  `update slip set work_at = now() where work_at is not null`,
  `update incentive_grant set leased_until = now() where state = 'OPEN'`,
  `update truelink_gift set work_at = now(), redeemed_at = redeemed_at - interval '1 minute' where work_at is not null`,
];

/**
 * Makes all scheduled work due, until nothing is pending and no statement has anything that
 * the ledger lacks.
 * @throws with the remaining differences on timeout
 */
export async function untilQuiet(system: System): Promise<Comparison[]> {
  const source = statementSource(outsideWithLongTimeouts(system), TOMORROW, true);
  let left: unknown;
  const started = performance.now();
  for (let round = 0; performance.now() - started < PATIENCE_MS; round += 1) {
    for (const now of [...EVERY_ROUND, ...(round % LEASED_EVERY === 0 ? LEASED : [])]) await system.database.query(now);
    await wait(ROUND_MS);
    await settleAsOperator(system);
    const open = await countPending(system);
    left = open;
    if (Object.values(open).some((count) => count > 0)) continue;
    const compared = await reconcile(system.database, source);
    const words = compared.flatMap((one) => describeRest(one) ?? []);
    if (words.length === 0) return compared;
    left = words;
  }
  throw new Error(`the day does not end: ${JSON.stringify(left)}`);
}

type ManualLeg = { reference: string; provider: string; username: string; direction: 'in' | 'out'; done: string };

/**
 * Play during an unknown outcome leaves a transfer to an operator, where the provider has no inquiries: the
 * operator gets the real outcome from the provider, and settles it by the command.
 */
async function settleAsOperator(system: System): Promise<void> {
  const { rows } = await system.database.query<ManualLeg>(
    `select l.provider_reference as reference, l.provider, l.username, l.direction,
            (select coalesce(sum(d.credits), 0)::text from transfer_leg d
              where d.state = 'DONE' and d.direction = l.direction
                and d.provider = l.provider and d.username = l.username) as done
       from transfer_leg l where l.state = 'MANUAL' and l.proof is null`,
  );
  if (rows.length === 0) return;
  const { games } = (await system.world('GET /control/totals')).body as { games: PlayerTotals[] };
  for (const { reference, provider, username, direction, done } of rows) {
    const player = games.find((one) => one.provider === provider && one.username === username.toLowerCase());
    assert.ok(player, `${username} at ${provider}`);
    const there = direction === 'in' ? player.transferredIn : player.transferredOut;
    const proof = BigInt(there.replace('.', '')) === BigInt(done) ? 'refused' : 'applied';
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
