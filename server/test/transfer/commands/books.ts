import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { minor } from '@krapao/contract/money';
import type { Ledger, Operation, LedgerCommand, CommandReply, Verdict } from '../../../src/ledger/index.ts';
import { credits } from '../../../src/adapters/game/port.ts';
import type { Database, Queryable } from '../../../src/platform/database/database.ts';
import { closeLegCommand, type LegClosing, openTransferCommand } from '../../../src/modules/transfer/commands.ts';
import { REFRESH_OUTCOMES } from '../../../src/modules/game/refresh-games.ts';
import type { Leg, Transfer } from '../../../src/modules/transfer/transfer.ts';
import { insertPlainMember } from '../../harness/plain-member.ts';

/** Two games with the same multiplier. */
export const GAMES = ['alpha', 'beta'] as const;
export type Game = (typeof GAMES)[number];
type End = Game | 'WALLET';

export async function insertGames(on: Queryable): Promise<void> {
  await on.query(
    `insert into game (code, name, category, provider, ft_wallet_slot) select g, g, 'slot', g, 10 from unnest($1::text[]) g`,
    [[...GAMES]],
  );
}

/** A member with open accounts at both games and money in the wallet. */
export async function fundedMember(database: Database, ledger: Ledger, amount: bigint): Promise<string> {
  const member = await insertPlainMember(database);
  await database.query(
    `insert into game_account (member_id, game_code, provider, username, password, state, activated_at)
     select $1::uuid, g, g, substr(md5($1::text || g), 1, 16), '\\x00', 'ACTIVE', now() from unnest($2::text[]) g`,
    [member, [...GAMES]],
  );
  if (amount > 0n) await ledger.post(deposit(member, amount));
  return member;
}

export const deposit = (member: string, amount: bigint): Operation => ({
  key: randomUUID(),
  type: 'transfer',
  kind: 'deposit',
  memberId: member,
  debit: { house: 'bank' },
  credit: { member, kind: 'WALLET' },
  amount: minor(amount),
  reference: 'deposit',
  actor: 'test',
});

export const payout = (member: string, amount: bigint): Operation => ({
  ...deposit(member, amount),
  key: randomUUID(),
  kind: 'withdraw',
  debit: { member, kind: 'WALLET' },
  credit: { house: 'bank' },
  reference: 'payout',
});

export type Opening = { transfer: Transfer; legs: Leg[]; key: string; command: LedgerCommand };

/** A transfer as opened by a request. `version` and `cash`: of the first account. */
export function opening(
  member: string,
  [source, target]: readonly [End, End],
  amount: bigint,
  more: { key?: string; version?: bigint | null; cash?: bigint | null } = {},
): Opening {
  const id = randomUUID();
  const key = more.key ?? id;
  const reference = `T${id.replaceAll('-', '').slice(0, 20).toUpperCase()}`;
  const transfer: Transfer = {
    id,
    memberId: member,
    currency: 'BAHT',
    source,
    target,
    amount: minor(amount),
    reference,
    inputHash: Buffer.alloc(32, 1),
  };
  const ends = [
    ...(source === 'WALLET' ? [] : [{ game: source, direction: 'out' as const }]),
    ...(target === 'WALLET' ? [] : [{ game: target, direction: 'in' as const }]),
  ];
  const legs = ends.map(({ game, direction }, index) => {
    const leg = (index + 1) as 1 | 2;
    return legOf(transfer, { leg, game, direction, nextGame: leg === 1 && ends.length === 2 ? target : null });
  });
  const opened = legs.map((leg) => ({
    leg,
    leaseMs: 60_000,
    version: leg.leg === 1 ? (more.version ?? null) : null,
    cash: leg.leg === 1 && more.cash !== undefined && more.cash !== null ? credits(more.cash * 10n) : null,
  }));
  return { transfer, legs, key, command: openTransferCommand(transfer, key, opened) };
}

/** The first or second leg of a transfer. */
export function legAt(legs: readonly Leg[], leg: 1 | 2): Leg {
  const found = legs[leg - 1];
  if (!found) throw new Error(`a transfer without leg ${leg}`);
  return found;
}

type Shape = { leg: 1 | 2; game: Game; direction: 'in' | 'out'; nextGame: string | null };

function legOf({ id, memberId, currency, reference, amount }: Transfer, shape: Shape): Leg {
  const { leg, game, direction, nextGame } = shape;
  return {
    transferId: id,
    leg,
    memberId,
    currency,
    reference,
    gameCode: game,
    ftWalletSlot: 10,
    direction,
    amount,
    credits: credits(amount * 10n),
    nextGame,
    provider: game,
    username: 'player',
    providerReference: `${reference}-${leg}`,
    state: leg === 1 ? 'SENT' : 'QUEUED',
    proof: null,
    proofBy: null,
    proofBalance: null,
    balanceBefore: null,
    turnoverBefore: null,
    balanceSeen: null,
    turnoverSeen: null,
    code: null,
    detail: null,
    absences: 0,
    asks: 0,
    isSilent: false,
    fence: 1,
    sentAgoMs: null,
  };
}

/** The command that closes a leg. `balance`: the reported cash, in minor units. */
export function closing(
  leg: Leg,
  to: 'DONE' | 'REVERSED',
  { balance = null, second, by = 'member' }: { balance?: bigint | null; second?: Leg; by?: string } = {},
): LedgerCommand {
  const how: LegClosing = {
    to,
    by,
    balance: balance === null ? null : credits(balance * 10n),
    isBalanceFinal: balance !== null,
    reversal: to === 'DONE' ? null : { code: 'TRANSFER_FAIL' },
    ...(second ? { second: { leg: second, before: null, leaseMs: 60_000 } } : {}),
  };
  return closeLegCommand(leg, how);
}

/** Fields written by a refresh. */
export const refresh = (member: string, game: Game, version: bigint, target?: bigint): LedgerCommand => ({
  kind: 'game_refresh',
  outcomes: REFRESH_OUTCOMES,
  memberId: member,
  claims: [`${member}/${game}`],
  unique: [],
  row: { member, game, version: String(version), outstanding: '7', turnover: null },
  groups:
    target === undefined
      ? []
      : [
          [
            {
              key: randomUUID(),
              type: 'adjust',
              kind: 'play',
              memberId: member,
              debit: { house: `provider:${game}` },
              credit: { member, kind: `GAME:${game}` },
              target: minor(target),
              reference: 'refresh',
              actor: 'refresh',
            },
          ],
        ],
});

export type Written = {
  /** Free and held amounts by account, without accounts that never moved. */
  money: Record<string, [free: bigint, held: bigint]>;
  /** State, code and detail of the legs of the member's transfers, by reference of the leg. */
  legs: Record<string, string>;
  busy: Record<Game, string | null>;
  stale: Record<Game, boolean>;
};

/** Everything that commands write about a member. */
export async function written(database: Database, ledger: Ledger, member: string): Promise<Written> {
  const accounts = await ledger.balances(member);
  const { rows: legs } = await database.query<{ reference: string; words: string }>(
    `select provider_reference as reference, concat_ws(' ', state, code, detail) as words from transfer_leg where member_id = $1`,
    [member],
  );
  const { rows: games } = await database.query<{ game: Game; busy: string | null; stale: boolean }>(
    `select game_code as game, busy_with as busy, is_stale as stale from game_account where member_id = $1`,
    [member],
  );
  const by = <T>(value: (row: (typeof games)[number]) => T): Record<Game, T> =>
    Object.fromEntries(games.map((row) => [row.game, value(row)])) as Record<Game, T>;
  return {
    money: Object.fromEntries(
      accounts
        .filter(({ posted, held }) => posted !== 0n || held !== 0n)
        .map(({ kind, free, held }) => [kind, [free, held]]),
    ),
    legs: Object.fromEntries(legs.map(({ reference, words }) => [reference, words])),
    busy: by(({ busy }) => busy),
    stale: by(({ stale }) => stale),
  };
}

export async function versionOf(on: Queryable, member: string, game: Game): Promise<bigint> {
  const { rows } = await on.query<{ version: bigint }>(
    'select version from game_account where member_id = $1 and game_code = $2',
    [member, game],
  );
  return BigInt(rows[0]?.version ?? -1);
}

/** Posts a command and retries while a row is locked, like the modules. */
export async function posted(ledger: Ledger, command: LedgerCommand): Promise<CommandReply> {
  for (;;) {
    const reply = await ledger.postCommand(command);
    if (reply.outcome !== 'row_locked') return reply;
    await wait(2);
  }
}

/** The outcome, and each operation's amount or refusal. */
export function describeReply(answer: CommandReply | Verdict[]): string {
  const [outcome, verdicts] = Array.isArray(answer) ? ['', answer] : [answer.outcome, answer.verdicts];
  return [outcome, ...verdicts.map((verdict) => verdict && (verdict.reason ?? verdict.amount))]
    .map(String)
    .join(' ')
    .trim();
}

/** Voids the hold of an opening. */
export function returning({ groups }: LedgerCommand): Operation {
  const held = groups.flat().find(({ type }) => type === 'hold');
  if (held?.type !== 'hold') throw new Error('an opening without a hold');
  return { ...held, type: 'void', pendingKey: held.key };
}
