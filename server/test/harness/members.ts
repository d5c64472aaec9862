import { randomInt } from 'node:crypto';
import type { System } from './system.ts';

/** Clients for registering a member. */
type SystemClients = Pick<System, 'api' | 'simulatorsApi'>;

export type MemberOptions = Partial<{
  name: string;
  phone: string;
  password: string;
  sourceCode: string;
  inviteCode: string;
  bankCode: string;
  bankAccountName: string;
  bankAccountNo: string;
  currency: string;
  remember: boolean;
}>;

export type TestMember = {
  token: string;
  id: string;
  phone: string;
  password: string;
  bankCode: string;
  bankAccountNo: string;
  bankAccountName: string;
};

const PHONE_COUNT = 100_000_000;
let phones = randomInt(PHONE_COUNT);
/**
 * A phone number that no other member of this process has: the step is coprime to the number of phones, so that all are
 * used.
 */
export const newPhone = (): string => {
  phones = (phones + 61_803_399) % PHONE_COUNT;
  return `08${String(phones).padStart(8, '0')}`;
};
let phoneCount = randomInt(10_000);
/**
 * An account number whose visible digits no other member of this process has: banks show four digits, and ambiguous
 * senders wait. The simulated bank can't pay to numbers from 998 on.
 */
export const newAccountNo = (): string => {
  phoneCount = (phoneCount + 1) % 10_000;
  return `${randomInt(10_000, 90_000)}${String(phoneCount).padStart(4, '0')}${randomInt(10)}`;
};

/** A valid registration. */
export function registrationBody(memberOptions: MemberOptions = {}): Record<string, string> {
  return {
    name: memberOptions.name ?? 'Somjai',
    username: memberOptions.phone ?? newPhone(),
    password: memberOptions.password ?? 'green-basket-27',
    sourceCode: memberOptions.sourceCode ?? 'FRIEND',
    inviteCode: memberOptions.inviteCode ?? '',
    bankCode: memberOptions.bankCode ?? 'SCB',
    bankAccountName: memberOptions.bankAccountName ?? 'SOMJAI DEEMAK',
    bankAccountNo: memberOptions.bankAccountNo ?? newAccountNo(),
    currency: memberOptions.currency ?? '',
  };
}

/** The newest message of a phone. */
export async function readNewestSms(
  system: SystemClients,
  phone: string,
): Promise<{ text: string; code: string; ref: string } | undefined> {
  const { body } = await system.simulatorsApi(`GET /phone/messages?to=${encodeURIComponent(phone)}`);
  return (body as { text: string; code: string; ref: string }[])[0];
}

/** Verifies a phone with the received code. */
export async function verifyPhone(system: SystemClients, phone: string): Promise<void> {
  const otpReply = await expectOk(system, 'POST /api/otp/send', { phoneNumber: phone });
  const message = await readNewestSms(system, phone);
  await expectOk(system, 'POST /api/otp/verify', { otpToken: otpReply.otpToken, otpCode: message?.code });
}

/** Opens a session. */
export async function logIn(system: SystemClients, phone: string, password: string, remember = false): Promise<string> {
  return (await expectOk(system, 'POST /api/login', { username: phone, password, remember })).token as string;
}

/** A new member, registered and logged in through the front door. */
export async function registerMember(system: SystemClients, memberOptions: MemberOptions = {}): Promise<TestMember> {
  const registration = registrationBody(memberOptions);
  const { username: phone = '', password = '', bankCode = '', bankAccountNo = '', bankAccountName = '' } = registration;
  await verifyPhone(system, phone);
  await expectOk(system, 'POST /api/account/validate', registration);
  const { profile } = await expectOk(system, 'POST /api/account', registration);
  const token = await logIn(system, phone, password, memberOptions.remember);
  return { token, id: profile._id, phone, password, bankCode, bankAccountNo, bankAccountName };
}

// oxlint-disable-next-line typescript/no-explicit-any
async function expectOk(system: SystemClients, call: string, body: unknown): Promise<any> {
  const reply = await system.api(call, { body });
  if (reply.status !== 200) throw new Error(`${call} answered ${reply.status} ${JSON.stringify(reply.body)}`);
  return reply.body;
}
