import { randomUUID } from 'node:crypto';
import { deposit, DEPOSITS_PER_MEMBER, fillGame, GAME, type Member, withdraw } from './members.ts';
import type { System } from './system.ts';

/** Runs a command of a member until its outcome. @throws {Error} unexpected status or state */
type Run = (system: System, member: Member, turn: number) => Promise<void>;

export type Command = {
  name: string;
  run: Run;
  /** Limit per member and minute, if any. */
  maxPerMember?: number;
  /** Prepares one run; called for each member before a measurement, in which each runs the command once. */
  prepare?: Run;
  /** Reverts it after the measurement. */
  finish?: Run;
};

const DEPOSIT = 100;
const WITHDRAWAL = 100;
const TRANSFER = 1;
const STAKE = 1;
const BONUS = 'WELCOME';

const post = <T>({ api }: System, { token, address }: Member, path: string, body: unknown): Promise<T> =>
  api.call<T>({ method: 'POST', path, token, from: address, body });

/** Posts with an idempotency key, like the app. */
const postOnce = <T>({ api }: System, { token, address }: Member, path: string, body: unknown): Promise<T> =>
  api.call<T>({ method: 'POST', path, token, from: address, body, key: randomUUID() });

const get = <T>({ api }: System, { token, address }: Member, path: string): Promise<T> =>
  api.call<T>({ path, token, from: address });

function expect(condition: boolean, label: string, reply: unknown): void {
  if (!condition) throw new Error(`${label}: ${JSON.stringify(reply)?.slice(0, 300)}`);
}

const login: Run = async ({ api }, { phone, password, address }) => {
  const body = { username: phone, password, remember: false };
  const reply = await api.call<{ token: string }>({ method: 'POST', path: '/api/login', from: address, body });
  expect(reply.token.length > 20, 'no token', reply);
};

const wallet: Run = async (system, member) => {
  const reply = await get<{ profile: { _id: string }; slots: unknown[] }>(system, member, '/api/wallet');
  expect(reply.profile._id === member.id && reply.slots.length > 0, "not the member's wallet", reply);
};

const statement: Run = async (system, member) => {
  const reply = await post<{ total: number; statements: unknown[] }>(system, member, '/api/statement', { page: 1 });
  expect(reply.total > 0 && reply.statements.length > 0, 'no movements', reply);
};

const transfer = async (system: System, member: Member, from: string, to: string): Promise<void> => {
  const reply = await postOnce<{ status: string }>(system, member, '/api/wallet/transfer', {
    from,
    to,
    amount: TRANSFER,
  });
  expect(reply.status === 'DONE', 'the transfer is not DONE', reply);
};

type Slots = { slots: { code: string; amount: number; isStale: boolean }[] };

const playAndRefresh: Run = async (system, member, turn) => {
  // Alternates winning and losing rounds, so that each refresh returns a different balance.
  const win = turn % 2 === 0 ? 2 * STAKE : 0;
  const played = await system.outside.call<{ balance: string }>({
    method: 'POST',
    path: `/games/${GAME}/players/${member.player}/play`,
    body: { stake: String(STAKE), win: String(win) },
  });
  const reply = await get<Slots>(system, member, '/api/wallet/refresh/slot');
  const slot = reply.slots.find(({ code }) => code === GAME);
  expect(slot?.isStale === false && slot.amount === Number(played.balance), 'not the balance after the round', reply);
};

const claimBonus: Run = async (system, member) => {
  const reply = await get<{ isActive: boolean }>(system, member, `/api/bonus/activate/${BONUS}`);
  expect(reply.isActive, 'the bonus is not active', reply);
};

const cancelBonus: Run = async (system, member) => {
  // Also moves the money of all games to the wallet.
  await get(system, member, '/api/bonus/clear');
  await fillGame(system, member);
};

const spin: Run = async (system, member) => {
  const reply = await postOnce<{ success: boolean }>(system, member, '/api/spinwheel/spin', {});
  expect(reply.success, 'the spin failed', reply);
};

const chatMessage: Run = async (system, member, turn) => {
  const message = { message_type: 'text', payload: { text: `When is my deposit there? ${turn}` } };
  const reply = await postOnce<{ sequence: number }>(system, member, '/api/chat/send-message', { message });
  expect(reply.sequence > 0, 'the message was not stored', reply);
};

const depositOnce: Run = (system, member) => deposit(system, member, DEPOSIT);

const SINGLE: readonly Command[] = [
  { name: 'login', run: login },
  { name: 'wallet', run: wallet },
  { name: 'statement', run: statement },
  { name: 'deposit', run: depositOnce, maxPerMember: DEPOSITS_PER_MEMBER },
  { name: 'transfer-in', run: (system, member) => transfer(system, member, 'WALLET', GAME) },
  { name: 'transfer-out', run: (system, member) => transfer(system, member, GAME, 'WALLET') },
  { name: 'play-refresh', run: playAndRefresh },
  { name: 'withdraw', run: (system, member) => withdraw(system, member, WITHDRAWAL) },
  { name: 'bonus-claim', run: claimBonus, maxPerMember: 1, prepare: depositOnce, finish: cancelBonus },
  { name: 'spin', run: spin },
  { name: 'chat-message', run: chatMessage },
];

/**
 * A busy evening: the commands of ten visits. In a visit a member deposits once, transfers to two games and back from one,
 * returns from a game eight times with a refresh, reads the wallet after each movement and return, and the statement twice. Every
 * second visit has a login, every third a withdrawal. Spins, chat messages and bonuses are rare; a bonus includes its deposit and
 * cancellation.
 */
const MIX: Readonly<Record<string, number>> = {
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
const STRIDE = 197;
const SLOTS = SINGLE.flatMap((command) => Array.from({ length: MIX[command.name] ?? 0 }, () => command));

const mix: Run = async (system, member, turn) => {
  const command = SLOTS[(turn * STRIDE) % SLOTS.length];
  await command?.prepare?.(system, member, turn);
  await command?.run(system, member, turn);
  await command?.finish?.(system, member, turn);
};

export const commands: readonly Command[] = [...SINGLE, { name: 'mix', run: mix }];
export const commandNames: readonly string[] = commands.map(({ name }) => name);
