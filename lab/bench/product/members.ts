import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { MemberSocket } from './member-socket.ts';
import type { System } from './system.ts';

/** The game of the transfers. A second game makes a refresh call two providers. */
export const GAME = 'pg';
const OTHER_GAME = 'joker2';
const MEMBER_PASSWORD = 'Basket-of-gold-9';
const BANK_CODE = 'SCB';
/** Largest amount of the gateway. */
const INITIAL_FUNDS = 200_000;
const GAME_FUNDS = 20_000;
/** Gateways for baht, used in turn: each issues five codes per member and minute. */
const GATEWAY_CODES = ['KBANK', 'WW', 'FP', 'PAYONEX'];
/** Deposits that each member can make within a minute. */
export const DEPOSITS_PER_MEMBER = 4 * GATEWAY_CODES.length;
const OUTCOME_TIMEOUT_MS = 60_000;
const CODE_TIMEOUT_MS = 30_000;
const CODE_POLL_MS = 30;
const CONCURRENT_REGISTRATIONS = 4;
/** The server sends no codes to runs of adjacent numbers. */
const PHONE_STEP = 618_033;
const PHONE_NUMBERS = 1_000_000;

export type Member = {
  id: string;
  phone: string;
  password: string;
  token: string;
  /** Client network address. */
  address: string;
  bankAccountNo: string;
  /** Player name at {@link GAME}. */
  player: string;
  socket: MemberSocket;
  deposits: number;
};

/**
 * Creates members with a verified phone, a session, money, two games and an open event socket.
 * @param firstNumber number of the first member; a reused system has those of earlier runs
 */
export async function createMembers(system: System, count: number, firstNumber = 0): Promise<Member[]> {
  const members: Member[] = [];
  let nextIndex = 0;
  const registerMembers = async (): Promise<void> => {
    while (nextIndex < count) {
      const number = nextIndex;
      nextIndex += 1;
      members[number] = await createMember(system, firstNumber + number);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT_REGISTRATIONS }, registerMembers));
  return members;
}

async function createMember(system: System, number: number): Promise<Member> {
  const { api } = system;
  const phone = `08${String(((number + 1) * PHONE_STEP) % PHONE_NUMBERS).padStart(8, '0')}`;
  const address = `10.1.${number >> 8}.${number & 255}`;
  // Banks show four digits of a number; ambiguous members would wait for an operator.
  const bankAccountNo = `51234${String(number).padStart(4, '0')}7`;
  const postAsMember = <T>(path: string, body: unknown): Promise<T> =>
    api.call<T>({ method: 'POST', path, body, from: address });
  const { otpToken } = await postAsMember<{ otpToken: string }>('/api/otp/send', { phoneNumber: phone });
  await postAsMember('/api/otp/verify', { otpToken, otpCode: await waitForCode(system, phone) });
  await postAsMember('/api/account', {
    name: `Bench ${number}`,
    username: phone,
    password: MEMBER_PASSWORD,
    sourceCode: 'FRIEND',
    bankCode: BANK_CODE,
    bankAccountName: 'BENCH MEMBER',
    bankAccountNo,
    currency: 'BAHT',
    otpToken,
  });
  const { token } = await postAsMember<{ token: string }>('/api/login', {
    username: phone,
    password: MEMBER_PASSWORD,
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
    password: MEMBER_PASSWORD,
    token,
    address,
    bankAccountNo,
    player: username,
    socket,
    deposits: 0,
  };
  await deposit(system, member, INITIAL_FUNDS);
  await fillGame(system, member);
  // Opening the wheel converts the deposit into coins.
  await api.call({ path: '/api/spinwheel/setup', token });
  return member;
}

const openGame = ({ api }: System, token: string, code: string): Promise<{ username: string }> =>
  api.call({ path: `/api/wallet/activate/${code}`, token });

/** Transfers enough money into the game to play and to transfer back. */
export async function fillGame({ api }: System, { token, address }: Member): Promise<void> {
  const body = { from: 'WALLET', to: GAME, amount: GAME_FUNDS };
  await api.call({ method: 'POST', path: '/api/wallet/transfer', token, from: address, body, key: randomUUID() });
}

async function waitForCode({ outside }: System, phone: string): Promise<string> {
  for (let waitedMs = 0; waitedMs < CODE_TIMEOUT_MS; waitedMs += CODE_POLL_MS) {
    const [message] = await outside.call<{ code: string }[]>({ path: `/phone/messages?to=${phone}` });
    if (message) return message.code;
    await wait(CODE_POLL_MS);
  }
  throw new Error('no code received');
}

/** Creates a QR code, pays it at the simulated bank and waits for the credit. @throws {Error} not credited */
export async function deposit({ api, outside }: System, member: Member, amount: number): Promise<void> {
  const { token, address, socket, bankAccountNo } = member;
  const gateway = GATEWAY_CODES[member.deposits % GATEWAY_CODES.length] ?? '';
  member.deposits += 1;
  const outcome = socket.outcome('deposit', OUTCOME_TIMEOUT_MS);
  try {
    const qrCode = await api.call<{ payload: string | null; amount: number }>({
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
      body: {
        payload: qrCode.payload,
        from: { bankCode: BANK_CODE, accountNo: bankAccountNo, accountName: 'BENCH MEMBER' },
      },
    });
    const { state, amount: creditedAmount } = await outcome.event;
    if (state !== 'SUCCESS' || creditedAmount !== qrCode.amount)
      throw new Error(`a deposit ended as ${state}, ${creditedAmount} baht`);
  } finally {
    outcome.cancel();
  }
}

/**
 * Dates recent codes back: the limit of five codes per member, gateway and minute has no setting.
 */
export async function ageQrcodes({ operator }: System): Promise<void> {
  await operator.query(
    `update qrcode set created_at = created_at - interval '2 minutes'
      where state = 'PAID' and created_at > now() - interval '1 minute'`,
  );
}

/** Requests a withdrawal and waits for its payout. @throws {Error} not paid */
export async function withdraw({ api }: System, member: Member, amount: number): Promise<void> {
  const outcome = member.socket.outcome('withdraw', OUTCOME_TIMEOUT_MS);
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
