import { randomInt } from 'node:crypto';
import { newestCode } from './outside.ts';

export type Member = {
  id: string;
  name: string;
  phone: string;
  password: string;
  bankAccountNo: string;
  token: string;
};

/** The app's address. */
export const appUrl = (): string => {
  const url = process.env.KRAPAO_URL;
  if (!url) throw new Error('KRAPAO_URL is not set: run through playwright.config.ts');
  return url;
};

let phones = randomInt(1_000_000);
/**
 * A phone number that no other test has: each worker goes through a million of its own, in steps, because runs of adjacent
 * numbers are given no codes.
 */
export const newPhone = (): string => {
  phones = (phones + 618_033) % 1_000_000;
  const worker = Number(process.env.TEST_WORKER_INDEX ?? 0) % 100;
  return `08${String(worker * 1_000_000 + phones).padStart(8, '0')}`;
};

let made = 0;
/**
 * A number whose visible places no other test has: banks show four digits of a sender, and members who look alike wait for
 * an operator. Each worker has five hundred of its own.
 */
export const newAccountNo = (): string => {
  made = (made + 1) % 500;
  const shown = (Number(process.env.TEST_WORKER_INDEX ?? 0) % 20) * 500 + made;
  return `${randomInt(10_000, 90_000)}${String(shown).padStart(4, '0')}${randomInt(10)}`;
};

/** An address that no other test is likely to call from. */
export const newAddress = (): string => `10.${randomInt(256)}.${randomInt(256)}.${randomInt(1, 255)}`;

/** One call of the API, from its own address by default. @returns status and body */
export async function api<T = Record<string, unknown>>(
  method: string,
  path: string,
  options: { token?: string; body?: unknown; key?: string; address?: string } = {},
): Promise<{ status: number; body: T }> {
  const answer = await fetch(`${appUrl()}${path}`, {
    method,
    headers: {
      'x-requested-with': 'XMLHttpRequest',
      // The system trusts a proxy on this machine.
      'x-forwarded-for': options.address ?? newAddress(),
      ...(options.body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(options.token ? { authorization: `Bearer ${options.token}` } : {}),
      ...(options.key ? { 'idempotency-key': options.key } : {}),
    },
    ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
  });
  return { status: answer.status, body: (await answer.json()) as T };
}

/** Registers a member through the API, with the code from the phone, and logs in. */
export async function newMember(
  changes: Partial<{
    name: string;
    bankCode: string;
    bankAccountNo: string;
    inviteCode: string;
    currency: string;
  }> = {},
): Promise<Member> {
  const phone = newPhone();
  const password = 'Basket-of-gold-9';
  const name = changes.name ?? 'สมหญิง ทดสอบ';
  const bankAccountNo = changes.bankAccountNo ?? newAccountNo();
  const sent = await api<{ otpToken: string }>('POST', '/api/otp/send', { body: { phoneNumber: phone } });
  const { code } = await newestCode(phone);
  await must('POST', '/api/otp/verify', { otpToken: sent.body.otpToken, otpCode: code });
  await must('POST', '/api/account', {
    name,
    username: phone,
    password,
    sourceCode: 'FRIEND',
    inviteCode: changes.inviteCode ?? '',
    bankCode: changes.bankCode ?? 'SCB',
    bankAccountName: 'SOMYING THOTSOP',
    bankAccountNo,
    currency: changes.currency ?? 'BAHT',
    otpToken: sent.body.otpToken,
  });
  const { token } = await must<{ token: string }>('POST', '/api/login', { username: phone, password, remember: true });
  const profile = await api<{ profile: { _id: string } }>('GET', '/api/account/profile', { token });
  return { id: profile.body.profile._id, name, phone, password, bankAccountNo, token };
}

async function must<T = unknown>(method: string, path: string, body: unknown): Promise<T> {
  const { status, body: answer } = await api<T>(method, path, { body });
  if (status !== 200) throw new Error(`${method} ${path} answered ${status} ${JSON.stringify(answer)}`);
  return answer;
}
