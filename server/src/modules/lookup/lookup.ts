import { createHash } from 'node:crypto';
import { BlockList, isIP } from 'node:net';
import { type Language, languages } from '@krapao/contract/languages';
import { type Currency, parseDecimal } from '@krapao/contract/money';
import { PHONE_RANGE, type Variant } from '@krapao/contract/rules';
import { z } from 'zod';

/** A text of the operator in all the languages of the product. */
export const translated = z.object({ th: z.string(), la: z.string(), en: z.string() });
export type Translated = z.output<typeof translated>;

const money = z.string().transform((text, context) => {
  const amount = parseDecimal(text);
  if (amount !== undefined) return amount;
  context.addIssue({ code: 'custom', message: 'not an amount' });
  return z.NEVER;
});
/** Money of each currency, as a decimal text of whole units; minor units once it is parsed. */
export const perCurrency = z.object({ BAHT: money, LAK: money } satisfies Record<Currency, z.ZodType>);
/** At most two decimals, so that it is exact in hundredths. */
export const percent = z.number().min(0).max(100_000).multipleOf(0.01);
const range = z.object({ min: money, max: money });
const timeOfDay = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/);

/** What must be reached is more than what it may fall to. */
export const metAboveLost = [
  (asked: { percentSuccess: number; percentFail: number }) => asked.percentFail < asked.percentSuccess,
  'percentFail must be below percentSuccess',
] as const;

/** Shapes of the values that the operator sets and anyone may look up, by name. Other modules own theirs: {@link SettingDefinition}. */
export const settingShapes = {
  status: z.object({ terminated: z.enum(['gone', '']) }),
  info: z.object({ name: z.string(), website: z.string() }),
  contact: z.object({
    contactText: translated,
    lineLink: z.string(),
    lineName: z.string(),
    /** Address of a picture; left out, one is drawn of `lineLink`. */
    lineQR: z.string().optional(),
  }),
  notice: translated,
  /** Names of banks in Lao, by bank code. A bank without one is called by its English name there. */
  bankNamesLA: z.record(z.string(), z.string().min(1)),
  /** Links that open bank apps, in the operator's order. Scripts and files are no links. */
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
  /** Least and greatest amount of one withdrawal. */
  withdraw: z.object({ BAHT: range, LAK: range } satisfies Record<Currency, z.ZodType>),
  slip: z.object({ closedFrom: timeOfDay, closedTo: timeOfDay, expireMinutes: z.int(), maxMB: z.int() }),
  registerOTP: z.boolean(),
  /** Mobile numbers that can register: Thai and Lao ranges, `x` for any digit. */
  phoneRanges: z.array(z.string().regex(PHONE_RANGE)).min(1),
  enableChatWidget: z.boolean(),
  isManual: z.boolean(),
} as const;
/** A value that the operator sets for one module, which owns its shape: its name in the table of settings, and the shape. */
export type SettingDefinition<Value> = { name: string; shape: z.ZodType<Value> };
export type SettingName = keyof typeof settingShapes;
export type Setting<Name extends SettingName> = z.output<(typeof settingShapes)[Name]>;

export type Bank = {
  code: string;
  /** The three digits that slips and clearing name it by; null where none are known. */
  number: string | null;
  nameTH: string;
  nameEN: string;
  country: 'TH' | 'LA';
  /** How long an account number is, in digits. */
  digitsMin: number;
  digitsMax: number;
  /** Whether a member may have an account there from now on. */
  isEnabled: boolean;
};

/** A way to put money in: a gateway (PAYMENT) or an account to transfer to (BANK). Amounts in minor units. */
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

/** The operator's account in the wallet app: AUTO receives transfers, GIFT receives links. */
export type WalletAccount = { mode: 'AUTO' | 'GIFT'; accountName: string; accountNo: string };

/** What the operator shows before a dialog: a picture (its address, or empty) and html. */
export type Banner = Translated & { kind: 'invite' | 'refund'; image: string };

/** The banners of a dialog in a language, in the operator's order. */
export const visibleBanners = (
  banners: readonly Banner[],
  kind: Banner['kind'],
  language: Language,
): { image: string; html: string }[] =>
  banners.filter((one) => one.kind === kind).map((one) => ({ image: one.image, html: one[language] }));

export type AddressRule = { network: string; verdict: 'allow' | 'deny' };

/** Names what texts say in all languages together: another as soon as one letter of any of them is. */
export const lookupVersion = (texts: readonly Record<Language, string>[]): string =>
  createHash('sha256')
    .update(JSON.stringify(texts.map((text) => languages.map((language) => text[language]))))
    .digest('base64url')
    .slice(0, 16);

/** The banks of the build's own country first, each country in the operator's order. */
export function localBanksFirst(banks: readonly Bank[], variant: Variant): Bank[] {
  const home = variant === 'lao' ? 'LA' : 'TH';
  return [...banks.filter((bank) => bank.country === home), ...banks.filter((bank) => bank.country !== home)];
}

const BANGKOK_OFFSET_MINUTES = 7 * 60;
const DAY_MINUTES = 24 * 60;

/** Whether it is outside the closed hours, given as HH:mm in Thai time; they may span midnight. Equal times: always open. */
export function isOpenAt(moment: Date, closedFrom: string, closedTo: string): boolean {
  const now = (moment.getUTCHours() * 60 + moment.getUTCMinutes() + BANGKOK_OFFSET_MINUTES) % DAY_MINUTES;
  const [from, to] = [minutesOf(closedFrom), minutesOf(closedTo)];
  return from <= to ? now < from || now >= to : now < from && now >= to;
}

function minutesOf(time: string): number {
  const [hours, minutes] = time.split(':').map(Number);
  return (hours ?? 0) * 60 + (minutes ?? 0);
}

/**
 * Whether a caller may come from an address: not from a denied network and, when there are allowed ones, from one of
 * them. An address that can't be read is refused only where there are rules.
 */
export function createAddressFilter(rules: readonly AddressRule[]): (address: string) => boolean {
  const [denied, allowed] = [new BlockList(), new BlockList()];
  for (const { network, verdict } of rules) {
    const [base = '', prefix = ''] = network.split('/');
    const family = isIP(base) === 6 ? 'ipv6' : 'ipv4';
    (verdict === 'deny' ? denied : allowed).addSubnet(base, Number(prefix), family);
  }
  const someAllowed = rules.some((rule) => rule.verdict === 'allow');
  return (address) => {
    if (rules.length === 0) return true;
    const family = isIP(address);
    if (family === 0) return false;
    const words = family === 6 ? 'ipv6' : 'ipv4';
    return !denied.check(address, words) && (!someAllowed || allowed.check(address, words));
  };
}
