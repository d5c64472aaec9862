import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { GAMES, isSweeper } from './commands.mjs';
import { forEachConcurrent } from './concurrency.mjs';

const MEMBER_PASSWORD = 'Basket-of-gold-9';
const BANK_CODE = 'SCB';
const MEMBER_NAME = 'LAB MEMBER';
const INITIAL_FUNDS = 50_000;
const GAME_FUNDS = 10_000;
const TIMEOUT_MS = 60_000;
const POLL_MS = 200;
/** The server sends no codes to runs of adjacent numbers. */
const PHONE_STEP = 61_803_399;
const PHONE_NUMBERS = 100_000_000;
/** Account of the operator that receives transfers. */
const OPERATOR_ACCOUNT = { bankCode: 'SCB', accountNo: '4680001234' };
/** Banks show four digits of an account; the simulated bank rejects accounts that end in 998 and higher. */
export const MEMBERS_MAX = 9_000;

/** Raises limits: a few members act like thousands (docs/runbooks/operator-data.md). */
export const LIFT_LIMITS = `
  update operator_data_limit set hits = 1000000000;
  update operator_data_setting set value = jsonb_set(value::jsonb, '{coinPer,BAHT}', '"20.00"') where name = 'spinwheel';`;

/** Registers members with money in the wallet and in two games; their numbers depend only on `count`. */
export async function createMembers({ api, outside }, count) {
  const members = Array.from({ length: count });
  const numbers = members.map((_, index) => index);
  await forEachConcurrent(numbers, async (index) => (members[index] = await createMember({ api, outside }, index + 1)));
  return members;
}

async function createMember({ api, outside }, number) {
  const phone = `08${String((number * PHONE_STEP) % PHONE_NUMBERS).padStart(8, '0')}`;
  const accountNo = `5${String(number).padStart(8, '0')}7`;
  const postAsMember = (path, body, options) => api.callOrThrow({ method: 'POST', path, body, ...options });
  const { otpToken } = await postAsMember('/api/otp/send', { phoneNumber: phone });
  const code = await waitUntil(
    async () => (await outside.callOrThrow({ path: `/phone/messages?to=${phone}` }))[0]?.code,
  );
  await postAsMember('/api/otp/verify', { otpToken, otpCode: code });
  const account = {
    name: `Lab ${number}`,
    username: phone,
    password: MEMBER_PASSWORD,
    sourceCode: 'FRIEND',
    bankCode: BANK_CODE,
    bankAccountName: MEMBER_NAME,
    bankAccountNo: accountNo,
    currency: 'BAHT',
    otpToken,
  };
  await postAsMember('/api/account', account);
  const { token } = await postAsMember('/api/login', { username: phone, password: MEMBER_PASSWORD, remember: true });
  const member = { token, accountNo, players: {}, paid: new Set(), isSweeper: isSweeper(number) };
  for (const game of GAMES) {
    const { username } = await api.callOrThrow({ path: `/api/wallet/activate/${game}`, token });
    member.players[game] = username;
  }
  const qrCode = await postAsMember('/api/qrcode/KBANK', { amount: INITIAL_FUNDS }, { token, key: randomUUID() });
  await payCode({ outside }, member, qrCode);
  await waitUntil(async () => (await readWallet(api, member)).wallet.amount >= INITIAL_FUNDS);
  for (const to of GAMES) {
    const body = { from: 'WALLET', to, amount: GAME_FUNDS };
    await postAsMember('/api/wallet/transfer', body, { token, key: randomUUID() });
  }
  await api.callOrThrow({ path: '/api/spinwheel/setup', token });
  return member;
}

/** Pays a QR code at the simulated bank. */
export function payCode({ outside }, { accountNo }, { payload }) {
  const payer = { bankCode: BANK_CODE, accountNo, accountName: MEMBER_NAME };
  return outside.callOrThrow({ method: 'POST', path: '/bank/pay-qr', body: { payload, from: payer } });
}

/** Transfers the amount of an announcement at the simulated bank. */
export function sendTransfer({ outside }, { accountNo }, { payAmount }) {
  const sender = { bankCode: BANK_CODE, accountNo, accountName: MEMBER_NAME };
  const body = { from: sender, to: OPERATOR_ACCOUNT, amount: payAmount };
  return outside.callOrThrow({ method: 'POST', path: '/bank/transfer', body });
}

export const readWallet = (api, { token }) => api.callOrThrow({ path: '/api/wallet', token });

async function waitUntil(check) {
  for (let waitedMs = 0; waitedMs < TIMEOUT_MS; waitedMs += POLL_MS) {
    const value = await check();
    if (value) return value;
    await wait(POLL_MS);
  }
  throw new Error(`condition not met within ${TIMEOUT_MS / 1_000} s`);
}
