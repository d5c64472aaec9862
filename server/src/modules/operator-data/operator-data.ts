import { createHash } from 'node:crypto';
import { BlockList, isIP } from 'node:net';
import { type Language, languages } from '@krapao/contract/languages';
import { type Currency, parseDecimal } from '@krapao/contract/money';
import { PHONE_RANGE, type Variant } from '@krapao/contract/rules';
import { z } from 'zod';
import { bankAccountKey, type Parties } from '../../platform/documents/subject.ts';

/** A text of the operator in all languages of the product. */
export const translatedSchema = z.object({ th: z.string(), la: z.string(), en: z.string() });
export type Translated = z.output<typeof translatedSchema>;

const moneySchema = z.string().transform((text, context) => {
  const amount = parseDecimal(text);
  if (amount !== undefined) return amount;
  context.addIssue({ code: 'custom', message: 'not an amount' });
  return z.NEVER;
});
/** Amounts per currency: parses decimal text in whole units into minor units. */
export const amountPerCurrencySchema = z.object({ BAHT: moneySchema, LAK: moneySchema } satisfies Record<
  Currency,
  z.ZodType
>);
/** At most two decimals, so that the percentage is exact in hundredths. */
export const percent = z.number().min(0).max(100_000).multipleOf(0.01);
const amountRangeSchema = z.object({ min: moneySchema, max: moneySchema });
const timeOfDaySchema = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/);

/** Zod refinement: the failure threshold must be below the success threshold. */
export const percentFailBelowSuccess = [
  (condition: { percentSuccess: number; percentFail: number }) => condition.percentFail < condition.percentSuccess,
  'percentFail must be below percentSuccess',
] as const;

/**
 * Schemas of the public settings by name. Other modules define the schemas of their own settings: {@link
 * SettingDefinition}.
 */
export const settingShapes = {
  status: z.object({ terminated: z.enum(['gone', '']) }),
  info: z.object({ name: z.string(), website: z.string() }),
  contact: z.object({
    contactText: translatedSchema,
    lineLink: z.string(),
    lineName: z.string(),
    /** Address of a QR image; if omitted, a QR code of `lineLink` is generated. */
    lineQR: z.string().optional(),
  }),
  notice: translatedSchema,
  /** Lao bank names by bank code. A bank without a Lao name is shown with its English name. */
  bankNamesLA: z.record(z.string(), z.string().min(1)),
  /** Links that open bank apps, in the operator's order. Schemes of scripts and files are rejected. */
  bankApps: z.array(
    z.object({
      code: z.string().min(1).max(32),
      name: z.string().min(1).max(60),
      url: z
        .string()
        .max(2_000)
        .regex(/^(?!(?:javascript|data|file|blob|vbscript|about|http):)[a-z][a-z0-9+.-]*:[!-~]+$/i),
    }),
  ),
  /** Game providers by their name in the configuration. A search finds them by `name` and `spellings`. */
  gameProviders: z.record(z.string(), z.object({ name: z.string().min(1), spellings: z.array(z.string()) })),
  /** Minimum and maximum of one withdrawal. */
  withdraw: z.object({ BAHT: amountRangeSchema, LAK: amountRangeSchema } satisfies Record<Currency, z.ZodType>),
  slip: z.object({ closedFrom: timeOfDaySchema, closedTo: timeOfDaySchema, expireMinutes: z.int(), maxMB: z.int() }),
  registerOTP: z.boolean(),
  /** Mobile numbers that can register: Thai and Lao ranges, `x` for any digit. */
  phoneRanges: z.array(z.string().regex(PHONE_RANGE)).min(1),
  enableChatWidget: z.boolean(),
  isManual: z.boolean(),
} as const;
/** Name and schema of a setting that another module owns. */
export type SettingDefinition<Value> = { name: string; shape: z.ZodType<Value> };
export type SettingName = keyof typeof settingShapes;
export type SettingValue<Name extends SettingName> = z.output<(typeof settingShapes)[Name]>;

export type Bank = {
  code: string;
  /** Three-digit bank number on slips and in clearing; null when unknown. */
  number: string | null;
  nameTH: string;
  nameEN: string;
  country: 'TH' | 'LA';
  /** Minimum and maximum number of digits of an account number. */
  digitsMin: number;
  digitsMax: number;
  /** Whether members can register a new account at this bank. */
  isEnabled: boolean;
};

/** A deposit method: a gateway (PAYMENT) or a bank account (BANK). Amounts in minor units. */
export type DepositAccount = {
  bankCode: string;
  bankType: 'PAYMENT' | 'BANK';
  mode: string;
  nameTH: string;
  nameEN: string;
  accountName: string;
  accountNo: string;
  currency: Currency;
  minimum: bigint | null;
  maximum: bigint | null;
};

export type OfferedAccount = DepositAccount & { isStopped: boolean };

/** The operator's account in the wallet app: AUTO receives transfers, GIFT receives gift links. */
export type WalletAccount = { mode: 'AUTO' | 'GIFT'; accountName: string; accountNo: string };

/** Whether the outside file has the gateway or account of a deposit method. */
export const hasParty = (
  { gateways, bankAccounts }: Parties,
  account: Pick<DepositAccount, 'bankType' | 'bankCode' | 'accountNo' | 'currency'>,
): boolean =>
  account.bankType === 'PAYMENT'
    ? gateways.get(account.bankCode) === account.currency
    : bankAccounts.has(bankAccountKey(account));

/** A banner above a dialog: the address of an image, or '', and html. */
export type Banner = Translated & { kind: 'invite' | 'refund'; image: string };

/** The banners of a dialog in one language, in the operator's order. */
export const visibleBanners = (
  banners: readonly Banner[],
  kind: Banner['kind'],
  language: Language,
): { image: string; html: string }[] =>
  banners.filter((banner) => banner.kind === kind).map((banner) => ({ image: banner.image, html: banner[language] }));

export type AddressRule = { network: string; verdict: 'allow' | 'deny' };

/** Hash of the texts in all languages; it changes with any of them. */
export const textsVersion = (texts: readonly Record<Language, string>[]): string =>
  createHash('sha256')
    .update(JSON.stringify(texts.map((text) => languages.map((language) => text[language]))))
    .digest('base64url')
    .slice(0, 16);

/** Sorts the banks of the build's country first; within a country the operator's order stays. */
export function localBanksFirst(banks: readonly Bank[], variant: Variant): Bank[] {
  const localCountry = variant === 'lao' ? 'LA' : 'TH';
  return [
    ...banks.filter((bank) => bank.country === localCountry),
    ...banks.filter((bank) => bank.country !== localCountry),
  ];
}

const BANGKOK_OFFSET_MINUTES = 7 * 60;
const DAY_MINUTES = 24 * 60;

/**
 * Whether a time is outside the closed hours, HH:mm in Thai time, which may span midnight. Equal times: always open.
 */
export function isOpenAt(moment: Date, closedFrom: string, closedTo: string): boolean {
  const minuteOfDay = (moment.getUTCHours() * 60 + moment.getUTCMinutes() + BANGKOK_OFFSET_MINUTES) % DAY_MINUTES;
  const [closedFromMinute, closedToMinute] = [parseMinutes(closedFrom), parseMinutes(closedTo)];
  return closedFromMinute <= closedToMinute
    ? minuteOfDay < closedFromMinute || minuteOfDay >= closedToMinute
    : minuteOfDay < closedFromMinute && minuteOfDay >= closedToMinute;
}

function parseMinutes(time: string): number {
  const [hours, minutes] = time.split(':').map(Number);
  return (hours ?? 0) * 60 + (minutes ?? 0);
}

/**
 * Creates a filter of client addresses. A denied network is refused; with any allow rule, only allowed networks pass.
 * An unparsable address is refused when there are rules.
 */
export function createAddressFilter(rules: readonly AddressRule[]): (address: string) => boolean {
  const [deniedNetworks, allowedNetworks] = [new BlockList(), new BlockList()];
  for (const { network, verdict } of rules) {
    const [networkAddress = '', prefixLength = ''] = network.split('/');
    const family = isIP(networkAddress) === 6 ? 'ipv6' : 'ipv4';
    (verdict === 'deny' ? deniedNetworks : allowedNetworks).addSubnet(networkAddress, Number(prefixLength), family);
  }
  const hasAllowRules = rules.some((rule) => rule.verdict === 'allow');
  return (address) => {
    if (rules.length === 0) return true;
    const family = isIP(address);
    if (family === 0) return false;
    const familyName = family === 6 ? 'ipv6' : 'ipv4';
    return !deniedNetworks.check(address, familyName) && (!hasAllowRules || allowedNetworks.check(address, familyName));
  };
}
