import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { amount, bankNames, currency } from '../shapes.ts';

/** Browser tabs in which a game can open. */
export const gameTabs = ['new', 'same'] as const;

/** Reads operator data. Contains no data of a member, but limits are in the member's currency. */
const operatorDataEndpoint = <const Path extends string, R extends z.ZodType>(path: Path, summary: string, reply: R) =>
  endpoint({
    method: 'GET',
    path: `/api/lookup/${path}`,
    access: 'public',
    summary,
    replies: { 200: reply },
    errors: [],
    malformed: 'NO_DATA',
  });

export const listBanks = operatorDataEndpoint(
  'banks',
  'Banks a member can have an account at',
  z.array(z.object({ code: z.string(), ...bankNames.shape })),
);

export const depositAccount = z.object({
  bankCode: z.string(),
  /** PAYMENT: a payment gateway. BANK: a bank account for transfers. */
  bankType: z.enum(['PAYMENT', 'BANK']),
  mode: z.string(),
  bank: bankNames,
  bankAccountName: z.string(),
  bankAccountNo: z.string(),
  currency,
  /** Minimum and maximum amount of one deposit; null where there is none. */
  minimum: amount.nullable(),
  maximum: amount.nullable(),
  /** A gateway that makes no new codes now; open ones can be paid. */
  isStopped: z.boolean().optional(),
});

export const getDepositMethods = operatorDataEndpoint(
  'deposit',
  'Ways to put money in',
  z.object({
    banks: z.array(depositAccount),
    wallets: z.array(z.object({ mode: z.string(), walletAccountName: z.string(), walletAccountNo: z.string() })),
    isManual: z.boolean(),
    /** Links that open bank apps, with the currency of the bank's country; null for an unknown bank. */
    apps: z
      .array(z.object({ code: z.string(), name: z.string(), url: z.string(), currency: currency.nullable() }))
      .optional(),
  }),
);

export const getConditions = operatorDataEndpoint(
  'conditions',
  'Conditions of use, as html texts',
  z.array(z.string()),
);
export const getAgreements = operatorDataEndpoint(
  'agreements',
  'Agreements that a member accepts, as html',
  z.array(z.string()),
);
export const getSiteInfo = operatorDataEndpoint(
  'info',
  'Name and address of the site, which version the agreements have, and settings of the app',
  z.object({
    name: z.string(),
    website: z.string(),
    /** Whether games open in a new tab or in the same one. */
    gameTab: z.enum(gameTabs),
    /** Secret with which the app encrypts gift links; public by design. */
    truelinkSecret: z.string(),
    /** Version of the accepted texts: the same in every language, and new when a text in any language changes. */
    agreementVersion: z.string(),
    /** Ranges of mobile numbers that can register, such as `06xxxxxxxx`. Undefined: only the server checks. */
    phoneRanges: z.array(z.string()).optional(),
  }),
);
export const getSiteNotice = operatorDataEndpoint(
  'notice',
  'Notice at withdrawals and bonuses',
  z.object({ notice: z.string() }),
);

export const getContact = operatorDataEndpoint(
  'contact',
  'How to reach support',
  z.object({
    contactText: z.string(),
    lineLink: z.string(),
    lineName: z.string(),
    lineQR: z.string(),
  }),
);

export const getWithdrawLimits = operatorDataEndpoint(
  'withdraw',
  'Limits of one withdrawal, in the currency of the member whose token is sent, else of the build',
  z.object({
    withdrawMin: amount,
    withdrawMax: amount,
  }),
);

export const getSlipRules = operatorDataEndpoint(
  'slip',
  'When slips can be uploaded, and how old and large they may be',
  z.object({
    closedFrom: z.string(),
    closedTo: z.string(),
    expireMinutes: z.int(),
    maxMB: z.int(),
    isOpen: z.boolean(),
  }),
);

export const listSources = operatorDataEndpoint(
  'sources',
  'How a member found us',
  z.array(z.object({ code: z.string(), description: z.string() })),
);

export const getSiteStatus = operatorDataEndpoint(
  'active',
  'Whether the site is terminated ("gone") or not ("")',
  z.object({
    terminated: z.enum(['gone', '']),
  }),
);

export const getRegisterOtp = operatorDataEndpoint(
  'registerOTP',
  'Whether registering needs a one-time code',
  z.object({
    registerOTP: z.boolean(),
  }),
);

export const getChatSwitch = operatorDataEndpoint(
  'enableChatWidget',
  'Whether the chat widget is shown',
  z.object({
    enableChatWidget: z.boolean(),
  }),
);
