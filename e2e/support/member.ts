import { randomInt } from 'node:crypto';
import { readNewestSms } from './simulators.ts';

/** Name of a new member's bank account. */
export const ACCOUNT_HOLDER = 'SOMYING THOTSOP';

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
 * A phone number that no other test uses. Each worker has a million numbers and skips between them, because runs of
 * adjacent numbers receive no codes.
 */
export const newPhone = (): string => {
  phones = (phones + 618_033) % 1_000_000;
  const workerIndex = Number(process.env.TEST_WORKER_INDEX ?? 0) % 100;
  return `08${String(workerIndex * 1_000_000 + phones).padStart(8, '0')}`;
};

let phoneCount = 0;
/**
 * An account number whose visible digits no other test uses: banks show four digits of a sender, and ambiguous senders
 * wait for an operator. Each worker has five hundred numbers.
 */
export const newAccountNo = (): string => {
  phoneCount = (phoneCount + 1) % 500;
  const phoneNumber = (Number(process.env.TEST_WORKER_INDEX ?? 0) % 20) * 500 + phoneCount;
  return `${randomInt(10_000, 90_000)}${String(phoneNumber).padStart(4, '0')}${randomInt(10)}`;
};

/** An account number of ten digits, as the app shows it. */
export const groupAccountNo = (digits: string): string =>
  `${digits.slice(0, 3)}-${digits.slice(3, 6)}-${digits.slice(6)}`;

/** A client address that other tests are unlikely to use. */
export const newAddress = (): string => `10.${randomInt(256)}.${randomInt(256)}.${randomInt(1, 255)}`;

/** Calls the API, from a new address by default. @returns status and body */
export async function api<T = Record<string, unknown>>(
  method: string,
  path: string,
  options: { token?: string; body?: unknown; key?: string; address?: string } = {},
): Promise<{ status: number; body: T }> {
  const reply = await fetch(`${appUrl()}${path}`, {
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
  return { status: reply.status, body: (await reply.json()) as T };
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
  const otpReply = await api<{ otpToken: string }>('POST', '/api/otp/send', { body: { phoneNumber: phone } });
  const { code } = await readNewestSms(phone);
  await expectOk('POST', '/api/otp/verify', { otpToken: otpReply.body.otpToken, otpCode: code });
  await expectOk('POST', '/api/account', {
    name,
    username: phone,
    password,
    sourceCode: 'FRIEND',
    inviteCode: changes.inviteCode ?? '',
    bankCode: changes.bankCode ?? 'SCB',
    bankAccountName: ACCOUNT_HOLDER,
    bankAccountNo,
    currency: changes.currency ?? 'BAHT',
    otpToken: otpReply.body.otpToken,
  });
  const { token } = await expectOk<{ token: string }>('POST', '/api/login', {
    username: phone,
    password,
    remember: true,
  });
  const profileReply = await api<{ profile: { _id: string } }>('GET', '/api/account/profile', { token });
  return { id: profileReply.body.profile._id, name, phone, password, bankAccountNo, token };
}

async function expectOk<T = unknown>(method: string, path: string, body: unknown): Promise<T> {
  const { status, body: reply } = await api<T>(method, path, { body });
  if (status !== 200) throw new Error(`${method} ${path} answered ${status} ${JSON.stringify(reply)}`);
  return reply;
}
