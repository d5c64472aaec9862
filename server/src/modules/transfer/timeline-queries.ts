import type { TimelineStepName } from '@krapao/contract/endpoints/timeline';
import type { Currency, Minor } from '@krapao/contract/money';
import type { TransferState } from '@krapao/contract/states';
import { type SnapshotField, snapshotField } from '../../platform/database/batched-reads.ts';
import type { Queryable } from '../../platform/database/database.ts';
import {
  done,
  type Duration,
  open,
  type PendingEntry,
  stepAt,
  type Timeline,
  wireAmount,
} from '../../platform/timeline.ts';
import { statementKey } from './commands.ts';
import { isFinal, type Leg, resultOf } from './transfer.ts';

const methodOf = (gameCode: string): string => `transfer:${gameCode}`;

type PendingRow = { reference: string; state: TransferState; amount: string; gameCode: string; since: string };

/** The member's transfers that are not over, each once, by its first open leg. */
export const pendingTransfers: SnapshotField<PendingEntry[]> = snapshotField(
  `select json_agg(json_build_object('reference', l.reference, 'state', l.state, 'amount', l.amount::text,
            'gameCode', l.game_code, 'since', l.created_at))
     from (select distinct on (l.transfer_id) t.reference, l.state, l.amount, l.game_code, t.created_at
             from transfer_leg l join transfer t on t.id = l.transfer_id
            where l.member_id = asked.member_id and l.state not in ('DONE', 'REVERSED')
            order by l.transfer_id, l.leg) l`,
  (rows: PendingRow[] | null) =>
    (rows ?? []).map(({ reference, state, amount, gameCode, since }) => ({
      key: reference,
      kind: 'transfer',
      state,
      amount: wireAmount(amount),
      payAmount: null,
      place: gameCode,
      since: new Date(since).toISOString(),
      expiresAt: null,
      target: `/user/home#game=${gameCode}`,
      expectation: { method: methodOf(gameCode), since: new Date(since) },
    })),
);

type LegRow = Pick<Leg, 'transferId' | 'leg' | 'gameCode' | 'direction' | 'state' | 'code' | 'detail'> & {
  currency: Currency;
  source: string;
  target: string;
  amount: Minor;
  createdAt: Date;
  sentAt: Date | null;
  finishedAt: Date | null;
};

/** The transfer with this reference as a {@link Timeline}; undefined if the member has none. */
export async function findTransferTimeline(
  on: Queryable,
  memberId: string,
  reference: string,
): Promise<Timeline | undefined> {
  const { rows } = await on.query<LegRow>(
    `select l.transfer_id as "transferId", l.leg, l.game_code as "gameCode", l.direction, l.state, l.code, l.detail,
            t.currency, t.source, t.target, t.amount, t.created_at as "createdAt", l.sent_at as "sentAt",
            l.finished_at as "finishedAt"
       from transfer t join transfer_leg l on l.transfer_id = t.id
      where t.reference = $1 and t.member_id = $2 order by l.leg`,
    [reference, memberId],
    { name: 'transfer-timeline' },
  );
  const [first] = rows;
  if (!first) return undefined;
  const { source, target, createdAt } = first;
  const result = resultOf(rows);
  const openLeg = rows.find(({ state }) => !isFinal(state));
  return {
    key: reference,
    kind: 'transfer',
    status: result.kind === 'done' ? 'SUCCESS' : result.kind === 'refused' ? 'FAILED' : 'PROCESSING',
    requested: first.amount,
    currency: first.currency,
    from: source,
    to: target,
    account: null,
    bankReference: null,
    reason: result.kind === 'refused' ? (result.detail ?? result.code) : null,
    steps: [done('requested', createdAt), ...rows.flatMap(stepsOf)],
    expectation: openLeg ? { method: methodOf(openLeg.gameCode), since: createdAt } : null,
    operations: rows.map(statementKey),
    links: [],
  };
}

const NAMES = {
  in: { sent: 'leftWallet', arrived: 'inGame', reversed: 'returned' },
  out: { sent: 'leftGame', arrived: 'inWallet', reversed: 'stayed' },
} as const satisfies Record<Leg['direction'], Record<string, TimelineStepName>>;

/** A leg that was never sent, because the first failed, has no step. */
function stepsOf({ direction, leg, state, sentAt, finishedAt }: LegRow): Timeline['steps'] {
  const names = NAMES[direction];
  if (state === 'REVERSED') {
    if (sentAt === null) return leg === 1 ? [stepAt('refused', finishedAt)] : [];
    const refused = direction === 'in' ? [stepAt('refused', finishedAt)] : [];
    return [done(names.sent, sentAt), ...refused, stepAt(names.reversed, finishedAt)];
  }
  return [stepAt(names.sent, sentAt), state === 'DONE' ? done(names.arrived, finishedAt) : open(names.arrived)];
}

/** How long transfers took, by game. @param since id made at the beginning of the period: ids are ordered by time */
export async function selectTransferDurations(on: Queryable, since: string): Promise<Duration[]> {
  const { rows } = await on.query<{ gameCode: string } & Duration>(
    `select game_code as "gameCode", count(*)::int as samples,
            percentile_cont(0.9) within group (order by extract(epoch from finished_at - sent_at) * 1000) as "p90Ms"
       from (select * from transfer_leg where transfer_id > $1 order by transfer_id desc, leg desc limit 5000) l
      where state = 'DONE' group by game_code`,
    [since],
  );
  return rows.map(({ gameCode, ...duration }) => ({ ...duration, method: methodOf(gameCode) }));
}
