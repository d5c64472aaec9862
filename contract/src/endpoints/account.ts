import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import type { ErrorCode } from '../errors.ts';
import {
  bankAccount,
  done,
  optionalName,
  optionalPastedText,
  optionalText,
  profile,
  text,
  timestamp,
} from '../shapes.ts';

export const login = endpoint({
  method: 'POST',
  path: '/api/login',
  access: 'public',
  summary: 'Log in with phone number and password',
  body: z.object({
    username: optionalPastedText(64),
    password: optionalText(256),
    remember: z.boolean().default(false),
  }),
  replies: { 200: z.object({ token: z.string(), expiresAt: timestamp }) },
  errors: ['WRONG_CREDENTIAL', 'INACTIVE_USER', 'INVALID_USER_4', 'INVALID_IP', 'LOGIN_FAIL', 'REQUEST_LIMIT_1MIN'],
  malformed: 'WRONG_CREDENTIAL',
});

export const logout = endpoint({
  method: 'POST',
  path: '/api/logout',
  access: 'member',
  summary: 'End this session',
  replies: { 200: done },
  errors: [],
  malformed: 'NO_DATA',
});

/** Fields of a registration. All are optional here: the use case reports missing ones, in order. */
const registrationInput = z.object({
  name: optionalName(120),
  username: optionalPastedText(64),
  password: optionalText(256),
  sourceCode: optionalText(32),
  inviteCode: optionalPastedText(64),
  bankCode: optionalText(16),
  bankAccountName: optionalName(160),
  bankAccountNo: optionalPastedText(40),
  currency: optionalText(8),
  /** Token of the one-time code that proved the phone; required if the code was verified for its token. */
  otpToken: optionalText(128),
});

const registrationErrors = [
  'EXISTING_USER',
  'EXISTING_BANK',
  'INVALID_USER_INFO',
  'INVALID_BANK',
  'BANK_ACCOUNT_NAME_ENG',
  'PHONE_NUMBER_REQUIRE_10_DIGIT',
  'UNVERIFIED_OTP',
  'REGISTER_FAIL',
  'INVALID_IP',
] as const satisfies readonly ErrorCode[];

export const validateAccount = endpoint({
  method: 'POST',
  path: '/api/account/validate',
  access: 'public',
  summary:
    'Check a registration before its last step; bank fields are checked when any of them is present. `inviter` says whether the invite code belongs to a member: an unknown code does not prevent registering',
  body: registrationInput,
  replies: { 200: done.extend({ inviter: z.enum(['none', 'known', 'unknown']) }) },
  errors: registrationErrors,
  malformed: 'INVALID_USER_INFO',
});

export const createAccount = endpoint({
  method: 'POST',
  path: '/api/account',
  access: 'public',
  summary: 'Register a member',
  body: registrationInput,
  replies: { 200: z.object({ profile }) },
  errors: registrationErrors,
  malformed: 'INVALID_USER_INFO',
});

const member = z.object({
  profile,
  bankAccount: bankAccount.nullable(),
  /** Whether the bank account can be changed: only while no money has ever moved. */
  canChangeBank: z.boolean(),
});

export const getProfile = endpoint({
  method: 'GET',
  path: '/api/account/profile',
  access: 'member',
  summary: 'The member and their bank account',
  replies: { 200: member },
  errors: [],
  malformed: 'NO_DATA',
});

export const changeProfile = endpoint({
  method: 'PUT',
  path: '/api/account/profile',
  access: 'member',
  summary: 'Change the display name and, as long as no money has moved, the bank account; empty bank fields leave it',
  body: z.object({
    name: optionalName(120),
    bankCode: optionalText(16),
    bankAccountName: optionalName(160),
    bankAccountNo: optionalPastedText(40),
  }),
  replies: { 200: member },
  errors: [
    'INVALID_USER_INFO',
    'INVALID_BANK',
    'BANK_ACCOUNT_NAME_ENG',
    'EXISTING_BANK',
    'NO_BANK',
    'REQUEST_LIMIT_1MIN',
  ],
  malformed: 'INVALID_USER_INFO',
});

export const changeBankAccountName = endpoint({
  method: 'PUT',
  path: '/api/account/bankAccountName',
  access: 'member',
  summary: "Write the holder's name of the member's own bank account in English letters",
  body: z.object({ bankCode: optionalText(16), bankAccountName: optionalName(160) }),
  replies: { 200: z.object({ bankAccount }) },
  errors: ['BANK_ACCOUNT_NAME_ENG', 'NO_BANK', 'INVALID_BANK', 'INVALID_USER_INFO', 'REQUEST_LIMIT_1MIN'],
  malformed: 'INVALID_USER_INFO',
});

const settings = z.object({
  /** Whether the app moves a game's money to the wallet when the member comes back from it. */
  bringsMoneyHome: z.boolean(),
});

export const getSettings = endpoint({
  method: 'GET',
  path: '/api/account/settings',
  access: 'member',
  summary: "The member's choices, the same on every device",
  replies: { 200: settings },
  errors: [],
  malformed: 'NO_DATA',
});

export const changeSettings = endpoint({
  method: 'PUT',
  path: '/api/account/settings',
  access: 'member',
  summary: "Change the member's choices",
  body: settings,
  replies: { 200: settings },
  errors: ['INVALID_USER_INFO'],
  malformed: 'INVALID_USER_INFO',
});

export const changePassword = endpoint({
  method: 'PUT',
  path: '/api/account/changepwd',
  access: 'member',
  summary: 'Change the password; the other sessions of the member end',
  body: z.object({ oldPassword: text(256), newPassword: text(256) }),
  replies: { 200: done },
  errors: ['WRONG_PASSWORD', 'INVALID_USER_INFO', 'REQUEST_LIMIT_1MIN'],
  malformed: 'INVALID_USER_INFO',
});
