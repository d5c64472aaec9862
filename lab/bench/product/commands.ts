import { randomUUID } from 'node:crypto';
import { deposit, DEPOSITS_EACH, fillGame, GAME, type Member, withdraw } from './members.ts';
import type { System } from './system.ts';

/** One command of a member, from the request to its outcome. Throws when a reply is not 2xx or not the expected state. */
type Run = (system: System, member: Member, turn: number) => Promise<void>;

export type Command = {
  name: string;
  run: Run;
  /** How often each member can run it in a minute; left out, without limit. */
  mostEach?: number;
  /** What one run needs; done for every member before a measurement, in which each then runs it once. */
  prepare?: Run;
  /** Undoes it, after the measurement. */
  finish?: Run;
};

const DEPOSIT = 100;
const WITHDRAWAL = 100;
const TRANSFER = 1;
const STAKE = 1;
const BONUS = 'WELCOME';

const post = <T>({ api }: System, { token, address }: Member, path: string, body: unknown): Promise<T> =>
  api.call<T>({ method: 'POST', path, token, from: address, body });

/** With a key, as the app calls what must not happen twice. */
const postOnce = <T>({ api }: System, { token, address }: Member, path: string, body: unknown): Promise<T> =>
  api.call<T>({ method: 'POST', path, token, from: address, body, key: randomUUID() });

const get = <T>({ api }: System, { token, address }: Member, path: string): Promise<T> =>
  api.call<T>({ path, token, from: address });

function expect(is: boolean, what: string, reply: unknown): void {
  if (!is) throw new Error(`${what}: ${JSON.stringify(reply)?.slice(0, 300)}`);
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
  expect(reply.status === 'DONE', 'a transfer is not done', reply);
};

type Slots = { slots: { code: string; amount: number; isStale: boolean }[] };

const playAndRefresh: Run = async (system, member, turn) => {
  // A round that wins and one that loses, in turn: every refresh finds another balance.
  const win = turn % 2 === 0 ? 2 * STAKE : 0;
  const played = await system.outside.call<{ balance: string }>({
    method: 'POST',
    path: `/games/${GAME}/players/${member.player}/play`,
    body: { stake: String(STAKE), win: String(win) },
  });
  const reply = await get<Slots>(system, member, '/api/wallet/refresh/slot');
  const slot = reply.slots.find(({ code }) => code === GAME);
  expect(slot?.isStale === false && slot.amount === Number(played.balance), 'another balance than played', reply);
};

const claimBonus: Run = async (system, member) => {
  const reply = await get<{ isActive: boolean }>(system, member, `/api/bonus/activate/${BONUS}`);
  expect(reply.isActive, 'a bonus is not active', reply);
};

const cancelBonus: Run = async (system, member) => {
  // Brings the money of all games to the wallet.
  await get(system, member, '/api/bonus/clear');
  await fillGame(system, member);
};

const spin: Run = async (system, member) => {
  const reply = await postOnce<{ success: boolean }>(system, member, '/api/spinwheel/spin', {});
  expect(reply.success, 'the wheel did not turn', reply);
};

const chatMessage: Run = async (system, member, turn) => {
  const message = { message_type: 'text', payload: { text: `When is my deposit there? ${turn}` } };
  const reply = await postOnce<{ sequence: number }>(system, member, '/api/chat/send-message', { message });
  expect(reply.sequence > 0, 'a message was not kept', reply);
};

const payIn: Run = (system, member) => deposit(system, member, DEPOSIT);

const SINGLE: readonly Command[] = [
  { name: 'login', run: login },
  { name: 'wallet', run: wallet },
  { name: 'statement', run: statement },
  { name: 'deposit', run: payIn, mostEach: DEPOSITS_EACH },
  { name: 'transfer-in', run: (system, member) => transfer(system, member, 'WALLET', GAME) },
  { name: 'transfer-out', run: (system, member) => transfer(system, member, GAME, 'WALLET') },
  { name: 'play-refresh', run: playAndRefresh },
  { name: 'withdraw', run: (system, member) => withdraw(system, member, WITHDRAWAL) },
  { name: 'bonus-claim', run: claimBonus, mostEach: 1, prepare: payIn, finish: cancelBonus },
  { name: 'spin', run: spin },
  { name: 'chat-message', run: chatMessage },
];

/**
 * A busy evening, as the commands of ten visits. A member logs in at every second visit (the app stays signed in), pays in once,
 * looks at the wallet after every movement and at each return from a game, moves money into two games and back from one, comes
 * back from a game eight times and is refreshed, and reads the statement twice; every third visit ends with a withdrawal. Few
 * spin, write to support, or take a bonus, which needs a deposit before it and is cancelled after it.
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

// Prime to the number of places: all have their turn, and equal ones do not follow each other.
const STRIDE = 197;
const PLACES = SINGLE.flatMap((command) => Array.from({ length: MIX[command.name] ?? 0 }, () => command));

const mix: Run = async (system, member, turn) => {
  const command = PLACES[(turn * STRIDE) % PLACES.length];
  await command?.prepare?.(system, member, turn);
  await command?.run(system, member, turn);
  await command?.finish?.(system, member, turn);
};

export const commands: readonly Command[] = [...SINGLE, { name: 'mix', run: mix }];
export const commandNames: readonly string[] = commands.map(({ name }) => name);
