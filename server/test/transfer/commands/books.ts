import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { minor } from '@krapao/contract/money';
import { credits } from '../../../src/adapters/game/port.ts';
import type { Ledger, Operation, LedgerCommand, CommandReply, Verdict } from '../../../src/ledger/index.ts';
import { REFRESH_OUTCOMES } from '../../../src/modules/game/refresh-games.ts';
import { closeLegCommand, type LegClosing, openTransferCommand } from '../../../src/modules/transfer/commands.ts';
import type { Leg, Transfer } from '../../../src/modules/transfer/transfer.ts';
import type { Database, Queryable } from '../../../src/platform/database/database.ts';
import { insertPlainMember } from '../../harness/plain-member.ts';

/** Two games with the same multiplier. */
export const TEST_GAMES = ['alpha', 'beta'] as const;
export type TestGame = (typeof TEST_GAMES)[number];
type LegAccount = TestGame | 'WALLET';

export async function insertGames(queryable: Queryable): Promise<void> {
  await queryable.query(
    `insert into game (code, name, category, provider, credits_per_unit) select g, g, 'slot', g, 10 from unnest($1::text[]) g`,
    [[...TEST_GAMES]],
  );
}

/** A member with open accounts at both games and money in the wallet. */
export async function fundedMember(database: Database, ledger: Ledger, amount: bigint): Promise<string> {
  const member = await insertPlainMember(database);
  await database.query(
    `insert into game_account (member_id, game_code, provider, username, password, state, activated_at)
     select $1::uuid, g, g, substr(md5($1::text || g), 1, 16), '\\x00', 'ACTIVE', now() from unnest($2::text[]) g`,
    [member, [...TEST_GAMES]],
  );
  if (amount > 0n) await ledger.post(depositOperation(member, amount));
  return member;
}

export const depositOperation = (member: string, amount: bigint): Operation => ({
  key: randomUUID(),
  type: 'transfer',
  kind: 'deposit',
  memberId: member,
  debit: { houseAccount: 'bank' },
  credit: { member, kind: 'WALLET' },
  amount: minor(amount),
  reference: 'deposit',
  actor: 'test',
});

export const payoutOperation = (member: string, amount: bigint): Operation => ({
  ...depositOperation(member, amount),
  key: randomUUID(),
  kind: 'withdraw',
  debit: { member, kind: 'WALLET' },
  credit: { houseAccount: 'bank' },
  reference: 'payout',
});

export type OpenedTransfer = { transfer: Transfer; legs: Leg[]; key: string; command: LedgerCommand };

/** A transfer as opened by a request. `version` and `cash`: of the first account. */
export function openingOf(
  member: string,
  [source, target]: readonly [LegAccount, LegAccount],
  amount: bigint,
  options: { key?: string; version?: bigint | null; cash?: bigint | null } = {},
): OpenedTransfer {
  const id = randomUUID();
  const key = options.key ?? id;
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
  const legAccounts = [
    ...(source === 'WALLET' ? [] : [{ game: source, direction: 'out' as const }]),
    ...(target === 'WALLET' ? [] : [{ game: target, direction: 'in' as const }]),
  ];
  const legs = legAccounts.map(({ game, direction }, index) => {
    const leg = (index + 1) as 1 | 2;
    return buildLeg(transfer, {
      leg,
      game,
      direction,
      nextGame: leg === 1 && legAccounts.length === 2 ? target : null,
    });
  });
  const openedLegs = legs.map((leg) => ({
    leg,
    leaseMs: 60_000,
    version: leg.leg === 1 ? (options.version ?? null) : null,
    cash: leg.leg === 1 && options.cash !== undefined && options.cash !== null ? credits(options.cash * 10n) : null,
  }));
  return { transfer, legs, key, command: openTransferCommand(transfer, key, openedLegs) };
}

/** The first or second leg of a transfer. */
export function legAt(legs: readonly Leg[], leg: 1 | 2): Leg {
  const foundLeg = legs[leg - 1];
  if (!foundLeg) throw new Error(`a transfer without leg ${leg}`);
  return foundLeg;
}

type LegShape = { leg: 1 | 2; game: TestGame; direction: 'in' | 'out'; nextGame: string | null };

function buildLeg({ id, memberId, currency, reference, amount }: Transfer, shape: LegShape): Leg {
  const { leg, game, direction, nextGame } = shape;
  return {
    transferId: id,
    leg,
    memberId,
    currency,
    reference,
    gameCode: game,
    creditsPerUnit: 10,
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
    inquiries: 0,
    isSilent: false,
    fence: 1,
    sentAgoMs: null,
  };
}

/** The command that closes a leg. `balance`: the reported cash, in minor units. */
export function closingOf(
  leg: Leg,
  to: 'DONE' | 'REVERSED',
  { balance = null, second, by = 'member' }: { balance?: bigint | null; second?: Leg; by?: string } = {},
): LedgerCommand {
  const legClosing: LegClosing = {
    endState: to,
    actor: by,
    balance: balance === null ? null : credits(balance * 10n),
    isBalanceFinal: balance !== null,
    reversal: to === 'DONE' ? null : { code: 'TRANSFER_FAIL' },
    ...(second ? { second: { leg: second, balanceBefore: null, leaseMs: 60_000 } } : {}),
  };
  return closeLegCommand(leg, legClosing);
}

/** Fields written by a refresh. */
export const refreshCommand = (member: string, game: TestGame, version: bigint, target?: bigint): LedgerCommand => ({
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
              debit: { houseAccount: `provider:${game}` },
              credit: { member, kind: `GAME:${game}` },
              target: minor(target),
              reference: 'refresh',
              actor: 'refresh',
            },
          ],
        ],
});

export type MemberRecords = {
  /** Free and held amounts by account, without accounts that never moved. */
  money: Record<string, [free: bigint, held: bigint]>;
  /** State, code and detail of the legs of the member's transfers, by reference of the leg. */
  legs: Record<string, string>;
  busy: Record<TestGame, string | null>;
  stale: Record<TestGame, boolean>;
};

/** Everything that commands write about a member. */
export async function readMemberRecords(database: Database, ledger: Ledger, member: string): Promise<MemberRecords> {
  const accounts = await ledger.balances(member);
  const { rows: legs } = await database.query<{ reference: string; words: string }>(
    `select provider_reference as reference, concat_ws(' ', state, code, detail) as words from transfer_leg where member_id = $1`,
    [member],
  );
  const { rows: gameRows } = await database.query<{ game: TestGame; busy: string | null; stale: boolean }>(
    `select game_code as game, busy_with as busy, is_stale as stale from game_account where member_id = $1`,
    [member],
  );
  const valuesByGame = <T>(value: (row: (typeof gameRows)[number]) => T): Record<TestGame, T> =>
    Object.fromEntries(gameRows.map((row) => [row.game, value(row)])) as Record<TestGame, T>;
  return {
    money: Object.fromEntries(
      accounts
        .filter(({ posted, held }) => posted !== 0n || held !== 0n)
        .map(({ kind, free, held }) => [kind, [free, held]]),
    ),
    legs: Object.fromEntries(legs.map(({ reference, words }) => [reference, words])),
    busy: valuesByGame(({ busy }) => busy),
    stale: valuesByGame(({ stale }) => stale),
  };
}

export async function readAccountVersion(queryable: Queryable, member: string, game: TestGame): Promise<bigint> {
  const { rows } = await queryable.query<{ version: bigint }>(
    'select version from game_account where member_id = $1 and game_code = $2',
    [member, game],
  );
  return BigInt(rows[0]?.version ?? -1);
}

/** Posts a command and retries while a row is locked, like the modules. */
export async function postCommand(ledger: Ledger, command: LedgerCommand): Promise<CommandReply> {
  for (;;) {
    const reply = await ledger.postCommand(command);
    if (reply.outcome !== 'row_locked') return reply;
    await wait(2);
  }
}

/** The outcome, and each operation's amount or refusal. */
export function describeReply(commandReply: CommandReply | Verdict[]): string {
  const [outcome, verdicts] = Array.isArray(commandReply)
    ? ['', commandReply]
    : [commandReply.outcome, commandReply.verdicts];
  return [outcome, ...verdicts.map((verdict) => verdict && (verdict.reason ?? verdict.amount))]
    .map(String)
    .join(' ')
    .trim();
}

/** Voids the hold of an opening. */
export function voidHoldOperation({ groups }: LedgerCommand): Operation {
  const heldOperation = groups.flat().find(({ type }) => type === 'hold');
  if (heldOperation?.type !== 'hold') throw new Error('an opening without a hold');
  return { ...heldOperation, type: 'void', pendingKey: heldOperation.key };
}
