import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { GAMES, isSweeper } from './commands.mjs';
import { each } from './each.mjs';

const PASSWORD = 'Basket-of-gold-9';
const BANK = 'SCB';
const NAME = 'TOUR MEMBER';
const FUNDS = 50_000;
const IN_GAME = 10_000;
const WITHIN_MS = 60_000;
const POLL_MS = 200;
/** Runs of adjacent numbers are given no codes. */
const PHONE_STEP = 61_803_399;
const PHONES = 100_000_000;
/** Account of the house that members transfer to. */
const RECEIVING = { bankCode: 'SCB', accountNo: '4680001234' };
/** Banks show four digits of an account, and the simulated one pays to none that ends in 998 and higher. */
export const MEMBERS_MOST = 9_000;

/** What limits a few members who do what thousands do (docs/runbooks/operator-data.md). */
export const LIFT_LIMITS = `
  update lookup_limit set hits = 1000000000;
  update lookup_setting set value = jsonb_set(value::jsonb, '{coinPer,BAHT}', '"20.00"') where name = 'spinwheel';`;

/** Registers members who have money in the wallet and in two games. Their numbers follow from `count` alone. */
export async function makeMembers({ api, outside }, count) {
  const members = Array.from({ length: count });
  const numbers = members.map((_, index) => index);
  await each(numbers, async (index) => (members[index] = await makeMember({ api, outside }, index + 1)));
  return members;
}

async function makeMember({ api, outside }, number) {
  const phone = `08${String((number * PHONE_STEP) % PHONES).padStart(8, '0')}`;
  const accountNo = `5${String(number).padStart(8, '0')}7`;
  const post = (path, body, more) => api.must({ method: 'POST', path, body, ...more });
  const { otpToken } = await post('/api/otp/send', { phoneNumber: phone });
  const code = await until(async () => (await outside.must({ path: `/phone/messages?to=${phone}` }))[0]?.code);
  await post('/api/otp/verify', { otpToken, otpCode: code });
  const account = {
    name: `Tour ${number}`,
    username: phone,
    password: PASSWORD,
    sourceCode: 'FRIEND',
    bankCode: BANK,
    bankAccountName: NAME,
    bankAccountNo: accountNo,
    currency: 'BAHT',
    otpToken,
  };
  await post('/api/account', account);
  const { token } = await post('/api/login', { username: phone, password: PASSWORD, remember: true });
  const member = { token, accountNo, players: {}, paid: new Set(), isSweeper: isSweeper(number) };
  for (const game of GAMES) {
    const { username } = await api.must({ path: `/api/wallet/activate/${game}`, token });
    member.players[game] = username;
  }
  const made = await post('/api/qrcode/KBANK', { amount: FUNDS }, { token, key: randomUUID() });
  await payCode({ outside }, member, made);
  await until(async () => (await walletOf(api, member)).wallet.amount >= FUNDS);
  for (const to of GAMES) {
    const body = { from: 'WALLET', to, amount: IN_GAME };
    await post('/api/wallet/transfer', body, { token, key: randomUUID() });
  }
  await api.must({ path: '/api/spinwheel/setup', token });
  return member;
}

/** The member pays a QR code at the simulated bank. */
export function payCode({ outside }, { accountNo }, { payload }) {
  const from = { bankCode: BANK, accountNo, accountName: NAME };
  return outside.must({ method: 'POST', path: '/bank/pay-qr', body: { payload, from } });
}

/** The member transfers the amount of a notice at the simulated bank. */
export function sendTransfer({ outside }, { accountNo }, { payAmount }) {
  const from = { bankCode: BANK, accountNo, accountName: NAME };
  const body = { from, to: RECEIVING, amount: payAmount };
  return outside.must({ method: 'POST', path: '/bank/transfer', body });
}

export const walletOf = (api, { token }) => api.must({ path: '/api/wallet', token });

async function until(found) {
  for (let waited = 0; waited < WITHIN_MS; waited += POLL_MS) {
    const value = await found();
    if (value) return value;
    await wait(POLL_MS);
  }
  throw new Error('what a member waits for does not come');
}
