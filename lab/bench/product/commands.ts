import { randomUUID } from 'node:crypto';
import { deposit, DEPOSITS_PER_MEMBER, fillGame, GAME, type Member, withdraw } from './members.ts';
import type { System } from './system.ts';

/** Runs a command of a member until its outcome. @throws {Error} unexpected status or state */
type RunCommand = (system: System, member: Member, turn: number) => Promise<void>;

export type Command = {
  name: string;
  run: RunCommand;
  /** Limit per member and minute, if any. */
  maxPerMember?: number;
  /** Prepares one run; called for each member before a measurement, in which each runs the command once. */
  prepare?: RunCommand;
  /** Reverts the preparation after the measurement. */
  finish?: RunCommand;
};

const DEPOSIT_AMOUNT = 100;
const WITHDRAWAL_AMOUNT = 100;
const TRANSFER_AMOUNT = 1;
const STAKE_AMOUNT = 1;
const BONUS_CODE = 'WELCOME';

const postAsMember = <T>({ api }: System, { token, address }: Member, path: string, body: unknown): Promise<T> =>
  api.call<T>({ method: 'POST', path, token, from: address, body });

/** Posts with an idempotency key, like the app. */
const postOnce = <T>({ api }: System, { token, address }: Member, path: string, body: unknown): Promise<T> =>
  api.call<T>({ method: 'POST', path, token, from: address, body, key: randomUUID() });

const getAsMember = <T>({ api }: System, { token, address }: Member, path: string): Promise<T> =>
  api.call<T>({ path, token, from: address });

function expect(condition: boolean, label: string, reply: unknown): void {
  if (!condition) throw new Error(`${label}: ${JSON.stringify(reply)?.slice(0, 300)}`);
}

const runLogin: RunCommand = async ({ api }, { phone, password, address }) => {
  const body = { username: phone, password, remember: false };
  const reply = await api.call<{ token: string }>({ method: 'POST', path: '/api/login', from: address, body });
  expect(reply.token.length > 20, 'no token', reply);
};

const readWallet: RunCommand = async (system, member) => {
  const reply = await getAsMember<{ profile: { _id: string }; slots: unknown[] }>(system, member, '/api/wallet');
  expect(reply.profile._id === member.id && reply.slots.length > 0, "not the member's wallet", reply);
};

const readStatement: RunCommand = async (system, member) => {
  const reply = await postAsMember<{ total: number; statements: unknown[] }>(system, member, '/api/statement', {
    page: 1,
  });
  expect(reply.total > 0 && reply.statements.length > 0, 'no movements', reply);
};

const transfer = async (system: System, member: Member, from: string, to: string): Promise<void> => {
  const reply = await postOnce<{ status: string }>(system, member, '/api/wallet/transfer', {
    from,
    to,
    amount: TRANSFER_AMOUNT,
  });
  expect(reply.status === 'DONE', 'the transfer is not DONE', reply);
};

type SlotsReply = { slots: { code: string; amount: number; isStale: boolean }[] };

const playAndRefresh: RunCommand = async (system, member, turn) => {
  // Alternates winning and losing rounds, so that each refresh returns a different balance.
  const win = turn % 2 === 0 ? 2 * STAKE_AMOUNT : 0;
  const playedRound = await system.outside.call<{ balance: string }>({
    method: 'POST',
    path: `/games/${GAME}/players/${member.player}/play`,
    body: { stake: String(STAKE_AMOUNT), win: String(win) },
  });
  const reply = await getAsMember<SlotsReply>(system, member, '/api/wallet/refresh/slot');
  const slot = reply.slots.find(({ code }) => code === GAME);
  expect(
    slot?.isStale === false && slot.amount === Number(playedRound.balance),
    'not the balance after the round',
    reply,
  );
};

const claimBonus: RunCommand = async (system, member) => {
  const reply = await getAsMember<{ isActive: boolean }>(system, member, `/api/bonus/activate/${BONUS_CODE}`);
  expect(reply.isActive, 'the bonus is not active', reply);
};

const cancelBonus: RunCommand = async (system, member) => {
  // Also moves the money of all games to the wallet.
  await getAsMember(system, member, '/api/bonus/clear');
  await fillGame(system, member);
};

const spinWheel: RunCommand = async (system, member) => {
  const reply = await postOnce<{ success: boolean }>(system, member, '/api/spinwheel/spin', {});
  expect(reply.success, 'the spin failed', reply);
};

const chatMessage: RunCommand = async (system, member, turn) => {
  const message = { message_type: 'text', payload: { text: `When is my deposit there? ${turn}` } };
  const reply = await postOnce<{ sequence: number }>(system, member, '/api/chat/send-message', { message });
  expect(reply.sequence > 0, 'the message was not stored', reply);
};

const depositOnce: RunCommand = (system, member) => deposit(system, member, DEPOSIT_AMOUNT);

const SINGLE_COMMANDS: readonly Command[] = [
  { name: 'login', run: runLogin },
  { name: 'wallet', run: readWallet },
  { name: 'statement', run: readStatement },
  { name: 'deposit', run: depositOnce, maxPerMember: DEPOSITS_PER_MEMBER },
  { name: 'transfer-in', run: (system, member) => transfer(system, member, 'WALLET', GAME) },
  { name: 'transfer-out', run: (system, member) => transfer(system, member, GAME, 'WALLET') },
  { name: 'play-refresh', run: playAndRefresh },
  { name: 'withdraw', run: (system, member) => withdraw(system, member, WITHDRAWAL_AMOUNT) },
  { name: 'bonus-claim', run: claimBonus, maxPerMember: 1, prepare: depositOnce, finish: cancelBonus },
  { name: 'spin', run: spinWheel },
  { name: 'chat-message', run: chatMessage },
];

/**
 * A busy evening: the commands of ten visits. In a visit a member deposits once, transfers to two games and back from
 * one, and returns from a game eight times with a refresh. The member reads the wallet after each movement and return,
 * and the statement twice. Every second visit has a login, every third a withdrawal. Spins, chat messages and bonuses
 * are rare; a bonus includes its deposit and cancellation.
 */
const MIX_COUNTS: Readonly<Record<string, number>> = {
  login: 5,
  wallet: 160,
  statement: 20,
  deposit: 10,
  'transfer-in': 20,
  'transfer-out': 10,
  'play-refresh': 80,
  withdraw: 3,
  'bonus-claim': 1,
  spin: 5,
  'chat-message': 4,
};

// Coprime with the number of slots: visits all of them, and equal commands are not adjacent.
const MIX_STRIDE = 197;
const MIX_SLOTS = SINGLE_COMMANDS.flatMap((command) =>
  Array.from({ length: MIX_COUNTS[command.name] ?? 0 }, () => command),
);

const runMix: RunCommand = async (system, member, turn) => {
  const command = MIX_SLOTS[(turn * MIX_STRIDE) % MIX_SLOTS.length];
  await command?.prepare?.(system, member, turn);
  await command?.run(system, member, turn);
  await command?.finish?.(system, member, turn);
};

export const commands: readonly Command[] = [...SINGLE_COMMANDS, { name: 'mix', run: runMix }];
export const commandNames: readonly string[] = commands.map(({ name }) => name);
