import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { MemberSocket } from './member-socket.ts';
import type { System } from './system.ts';

/** The game that money is moved to and from, and another one, so that a refresh asks two providers. */
export const GAME = 'pg';
const OTHER_GAME = 'joker2';
const PASSWORD = 'Basket-of-gold-9';
const BANK = 'SCB';
/** The most that the gateway takes at once. */
const FUNDS = 200_000;
const IN_GAME = 20_000;
/** Those for baht, in turn: each gives a member five codes a minute. */
const GATEWAYS = ['KBANK', 'WW', 'FP', 'PAYONEX'];
/** What members can surely pay in within a minute, each in their turn. */
export const DEPOSITS_EACH = 4 * GATEWAYS.length;
const OUTCOME_WITHIN_MS = 60_000;
const CODE_WITHIN_MS = 30_000;
const CODE_POLL_MS = 30;
/** Members who register at the same time. */
const REGISTERING = 4;
/** Runs of adjacent numbers are given no codes. */
const PHONE_STEP = 618_033;
const PHONES = 1_000_000;

export type Member = {
  id: string;
  phone: string;
  password: string;
  token: string;
  /** Network address that the member calls from. */
  address: string;
  bankAccountNo: string;
  /** Name of the player at {@link GAME}. */
  player: string;
  socket: MemberSocket;
  deposits: number;
};

/**
 * Members who registered, proved their phone, logged in, paid money in, opened two games and have the app open.
 * @param first number of the first; a system that is used again has those of the runs before
 */
export async function makeMembers(system: System, count: number, first = 0): Promise<Member[]> {
  const members: Member[] = [];
  let next = 0;
  const register = async (): Promise<void> => {
    while (next < count) {
      const number = next;
      next += 1;
      members[number] = await makeMember(system, first + number);
    }
  };
  await Promise.all(Array.from({ length: REGISTERING }, register));
  return members;
}

async function makeMember(system: System, number: number): Promise<Member> {
  const { api } = system;
  const phone = `08${String(((number + 1) * PHONE_STEP) % PHONES).padStart(8, '0')}`;
  const address = `10.1.${number >> 8}.${number & 255}`;
  // Banks show four digits of a number, and members who look alike wait for an operator.
  const bankAccountNo = `51234${String(number).padStart(4, '0')}7`;
  const post = <T>(path: string, body: unknown): Promise<T> =>
    api.call<T>({ method: 'POST', path, body, from: address });
  const { otpToken } = await post<{ otpToken: string }>('/api/otp/send', { phoneNumber: phone });
  await post('/api/otp/verify', { otpToken, otpCode: await receivedCode(system, phone) });
  await post('/api/account', {
    name: `Bench ${number}`,
    username: phone,
    password: PASSWORD,
    sourceCode: 'FRIEND',
    bankCode: BANK,
    bankAccountName: 'BENCH MEMBER',
    bankAccountNo,
    currency: 'BAHT',
    otpToken,
  });
  const { token } = await post<{ token: string }>('/api/login', {
    username: phone,
    password: PASSWORD,
    remember: true,
  });
  const { profile } = await api.call<{ profile: { _id: string } }>({
    path: '/api/account/profile',
    token,
    from: address,
  });
  const socket = await MemberSocket.open(api.address, profile._id, token);
  const { username } = await openGame(system, token, GAME);
  await openGame(system, token, OTHER_GAME);
  const member = {
    id: profile._id,
    phone,
    password: PASSWORD,
    token,
    address,
    bankAccountNo,
    player: username,
    socket,
    deposits: 0,
  };
  await deposit(system, member, FUNDS);
  await fillGame(system, member);
  // A look at the wheel turns the deposit into coins.
  await api.call({ path: '/api/spinwheel/setup', token });
  return member;
}

const openGame = ({ api }: System, token: string, code: string): Promise<{ username: string }> =>
  api.call({ path: `/api/wallet/activate/${code}`, token });

/** Money enough in the game to play with, and to move back. */
export async function fillGame({ api }: System, { token, address }: Member): Promise<void> {
  const body = { from: 'WALLET', to: GAME, amount: IN_GAME };
  await api.call({ method: 'POST', path: '/api/wallet/transfer', token, from: address, body, key: randomUUID() });
}

async function receivedCode({ outside }: System, phone: string): Promise<string> {
  for (let waited = 0; waited < CODE_WITHIN_MS; waited += CODE_POLL_MS) {
    const [newest] = await outside.call<{ code: string }[]>({ path: `/phone/messages?to=${phone}` });
    if (newest) return newest.code;
    await wait(CODE_POLL_MS);
  }
  throw new Error('no code came to a phone');
}

/** A QR is made, paid at the simulated bank, called back and credited. @throws when it is not credited */
export async function deposit({ api, outside }: System, member: Member, amount: number): Promise<void> {
  const { token, address, socket, bankAccountNo } = member;
  const gateway = GATEWAYS[member.deposits % GATEWAYS.length] ?? '';
  member.deposits += 1;
  const outcome = socket.outcome('deposit', OUTCOME_WITHIN_MS);
  try {
    const made = await api.call<{ payload: string | null; amount: number }>({
      method: 'POST',
      path: `/api/qrcode/${gateway}`,
      token,
      from: address,
      body: { amount },
      key: randomUUID(),
    });
    await outside.call({
      method: 'POST',
      path: '/bank/pay-qr',
      body: { payload: made.payload, from: { bankCode: BANK, accountNo: bankAccountNo, accountName: 'BENCH MEMBER' } },
    });
    const { state, amount: credited } = await outcome.event;
    if (state !== 'SUCCESS' || credited !== made.amount)
      throw new Error(`a deposit ended as ${state}, ${credited} baht`);
  } finally {
    outcome.cancel();
  }
}

/**
 * Lets the codes of the last minute have been made earlier: five a minute for each member and gateway are the product's own
 * limit, for which it has no setting.
 */
export async function ageQrcodes({ operator }: System): Promise<void> {
  await operator.query(
    `update qrcode set created_at = created_at - interval '2 minutes'
      where state = 'PAID' and created_at > now() - interval '1 minute'`,
  );
}

/** A withdrawal is requested and paid by the simulated bank. @throws when it is not paid */
export async function withdraw({ api }: System, member: Member, amount: number): Promise<void> {
  const outcome = member.socket.outcome('withdraw', OUTCOME_WITHIN_MS);
  try {
    const { token, address } = member;
    const path = '/api/wallet/withdraw';
    await api.call({ method: 'POST', path, token, from: address, body: { amount }, key: randomUUID() });
    const { state } = await outcome.event;
    if (state !== 'SUCCESS') throw new Error(`a withdrawal ended as ${state}`);
  } finally {
    outcome.cancel();
  }
}
