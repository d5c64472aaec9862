import { randomInt } from 'node:crypto';
import type { System } from './system.ts';

/** What it takes to come in by the front door. */
type Doors = Pick<System, 'api' | 'world'>;

export type MemberChoices = Partial<{
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

const PHONES = 100_000_000;
let phones = randomInt(PHONES);
/** A number that no other member of this process has: each step is prime to their count, so that all have their turn. */
export const newPhone = (): string => {
  phones = (phones + 61_803_399) % PHONES;
  return `08${String(phones).padStart(8, '0')}`;
};
let made = randomInt(10_000);
/**
 * A number whose visible places no other one of this process has: banks show four digits, and look-alikes wait. Those
 * from 998 on are accounts that the simulated bank can not pay to.
 */
export const newAccountNo = (): string => {
  made = (made + 1) % 10_000;
  return `${randomInt(10_000, 90_000)}${String(made).padStart(4, '0')}${randomInt(10)}`;
};

/** A registration that has everything right. */
export function registrationOf(choices: MemberChoices = {}): Record<string, string> {
  return {
    name: choices.name ?? 'Somjai',
    username: choices.phone ?? newPhone(),
    password: choices.password ?? 'green-basket-27',
    sourceCode: choices.sourceCode ?? 'FRIEND',
    inviteCode: choices.inviteCode ?? '',
    bankCode: choices.bankCode ?? 'SCB',
    bankAccountName: choices.bankAccountName ?? 'SOMJAI DEEMAK',
    bankAccountNo: choices.bankAccountNo ?? newAccountNo(),
    currency: choices.currency ?? '',
  };
}

/** The newest message that a phone has received. */
export async function newestMessage(
  system: Doors,
  phone: string,
): Promise<{ text: string; code: string; ref: string } | undefined> {
  const { body } = await system.world(`GET /phone/messages?to=${encodeURIComponent(phone)}`);
  return (body as { text: string; code: string; ref: string }[])[0];
}

/** Proves a phone with the code that it receives. */
export async function verifyPhone(system: Doors, phone: string): Promise<void> {
  const sent = await expectOk(system, 'POST /api/otp/send', { phoneNumber: phone });
  const message = await newestMessage(system, phone);
  await expectOk(system, 'POST /api/otp/verify', { otpToken: sent.otpToken, otpCode: message?.code });
}

/** Opens a session. */
export async function logIn(system: Doors, phone: string, password: string, remember = false): Promise<string> {
  return (await expectOk(system, 'POST /api/login', { username: phone, password, remember })).token as string;
}

/** A new member, registered and logged in through the front door. */
export async function registerMember(system: Doors, choices: MemberChoices = {}): Promise<TestMember> {
  const registration = registrationOf(choices);
  const { username: phone = '', password = '', bankCode = '', bankAccountNo = '', bankAccountName = '' } = registration;
  await verifyPhone(system, phone);
  await expectOk(system, 'POST /api/account/validate', registration);
  const { profile } = await expectOk(system, 'POST /api/account', registration);
  const token = await logIn(system, phone, password, choices.remember);
  return { token, id: profile._id, phone, password, bankCode, bankAccountNo, bankAccountName };
}

// oxlint-disable-next-line typescript/no-explicit-any
async function expectOk(system: Doors, call: string, body: unknown): Promise<any> {
  const reply = await system.api(call, { body });
  if (reply.status !== 200) throw new Error(`${call} answered ${reply.status} ${JSON.stringify(reply.body)}`);
  return reply.body;
}
