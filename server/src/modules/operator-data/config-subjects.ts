import { z } from 'zod';
import { imageShape, nameShape, textsShape, uniqueBy } from '../../platform/documents/fields.ts';
import { type ConfigSubject, NO_OBJECTION, type Problem, findRemoved } from '../../platform/documents/subject.ts';
import { selectDepositAccounts } from './deposit-account-queries.ts';
import { depositAccountSubject } from './deposit-account-subject.ts';
import { type LimitName, limitNames } from './limits.ts';
import { networkKey } from './networks.ts';
import { readSeed } from './seed.ts';
import { settingSubjects } from './setting-subjects.ts';
import * as queries from './subject-queries.ts';

const code = (pattern: RegExp) => z.string().regex(pattern, `must match ${pattern.source}`);
const ROWS_MAX = 500;
const INTEGER_MAX = 2_147_483_647;
const YEAR_SECONDS = 366 * 24 * 60 * 60;

const banksSchema = z
  .array(
    z
      .strictObject({
        code: code(/^[A-Z0-9]{2,16}$/),
        number: code(/^\d{3}$/)
          .nullable()
          .default(null),
        nameTH: nameShape,
        nameEN: nameShape,
        country: z.enum(['TH', 'LA']),
        /** Least and most digits of an account number. */
        digits: z.tuple([z.int().min(1).max(40), z.int().min(1).max(40)]),
        isEnabled: z.boolean().default(true),
      })
      .refine(({ digits: [least, most] }) => least <= most, {
        path: ['digits'],
        message: 'the first must be the smaller',
      }),
  )
  .max(ROWS_MAX)
  .check(
    uniqueBy(({ code: bankCode }) => bankCode, 'bank'),
    uniqueBy(({ number }) => number, 'number'),
  );

const banks: ConfigSubject<z.output<typeof banksSchema>> = {
  name: 'banks',
  schema: banksSchema,
  lock: (tx) => queries.lockTables(tx, 'operator_data_bank'),
  read: queries.selectBankDocument,
  apply: queries.replaceBanks,
  seed: () => readSeed('banks'),
  async preview(on, document) {
    const removed = findRemoved(await queries.selectBankDocument(on), document, (bank) => bank.code);
    if (removed.length === 0) return NO_OBJECTION;
    const { accounts } = await selectDepositAccounts(on);
    const problems = removed.flatMap(({ code: bankCode }): Problem[] =>
      accounts.some((account) => account.bankType === 'BANK' && account.bankCode === bankCode)
        ? [{ path: [], message: `${bankCode} is missing, but deposit-accounts has an account there` }]
        : [],
    );
    return { problems, effects: [] };
  },
};

const sourcesSchema = z
  .array(
    z.strictObject({
      code: code(/^[A-Z0-9_]{1,32}$/),
      th: nameShape,
      la: nameShape,
      en: nameShape,
      isEnabled: z.boolean().default(true),
    }),
  )
  .max(ROWS_MAX)
  .check(uniqueBy((source) => source.code, 'source'));

const sources: ConfigSubject<z.output<typeof sourcesSchema>> = {
  name: 'sources',
  schema: sourcesSchema,
  lock: (tx) => queries.lockTables(tx, 'operator_data_source'),
  read: queries.selectSourceDocument,
  apply: queries.replaceSources,
  seed: () => readSeed('sources'),
  preview: async () => NO_OBJECTION,
};

const textListSchema = z.array(textsShape).max(ROWS_MAX);
const textSubject = (kind: 'condition' | 'agreement'): ConfigSubject<z.output<typeof textListSchema>> => ({
  name: `texts:${kind}`,
  schema: textListSchema,
  lock: (tx) => queries.lockTables(tx, 'operator_data_text'),
  read: (on) => queries.selectTextDocument(on, kind),
  apply: (tx, texts) => queries.replaceTexts(tx, kind, texts),
  seed: () => (readSeed('texts') as Record<string, unknown>)[kind],
  preview: async () => NO_OBJECTION,
});

const bannerListSchema = z
  .array(z.strictObject({ image: imageShape.default(''), ...textsShape.shape, isEnabled: z.boolean().default(true) }))
  .max(ROWS_MAX);
const bannerSubject = (kind: 'invite' | 'refund'): ConfigSubject<z.output<typeof bannerListSchema>> => ({
  name: `banners:${kind}`,
  schema: bannerListSchema,
  lock: (tx) => queries.lockTables(tx, 'operator_data_banner'),
  read: (on) => queries.selectBannerDocument(on, kind),
  apply: (tx, banners) => queries.replaceBanners(tx, kind, banners),
  seed: () =>
    (readSeed('banners') as { kind: string }[]).flatMap(({ kind: bannerKind, ...banner }) =>
      bannerKind === kind ? [banner] : [],
    ),
  preview: async () => NO_OBJECTION,
});

const limitShape = z.strictObject({
  hits: z.int().min(1).max(INTEGER_MAX),
  windowSeconds: z.int().min(1).max(YEAR_SECONDS),
});
const limitsSchema = z.strictObject(
  Object.fromEntries(limitNames.map((name) => [name, limitShape])) as Record<LimitName, typeof limitShape>,
);
const limits: ConfigSubject<z.output<typeof limitsSchema>> = {
  name: 'limits',
  schema: limitsSchema,
  lock: (tx) => queries.lockTables(tx, 'operator_data_limit'),
  read: (on) => queries.selectLimitDocument(on, limitNames),
  apply: queries.replaceLimits,
  seed: () => readSeed('limits'),
  preview: async () => NO_OBJECTION,
};

const networksSchema = z
  .array(
    z.strictObject({
      network: z
        .string()
        .refine(
          (text) => networkKey(text) !== undefined,
          'must be a network such as 203.0.113.0/24, without host bits',
        ),
      verdict: z.enum(['allow', 'deny']),
      note: z.string().max(500).default(''),
    }),
  )
  .max(10_000)
  .check(uniqueBy(({ network }) => networkKey(network) ?? null, 'network'));
const networks: ConfigSubject<z.output<typeof networksSchema>> = {
  name: 'networks',
  schema: networksSchema,
  lock: (tx) => queries.lockTables(tx, 'operator_data_address_rule'),
  read: queries.selectNetworkDocument,
  apply: queries.replaceNetworks,
  seed: () => [],
  preview: async (_, rules) => ({
    problems: [],
    effects: rules.some(({ verdict }) => verdict === 'allow')
      ? ['Networks are allowed: logins and registrations from all other networks are refused.']
      : [],
  }),
};

/** What this module's tables hold. */
export const configSubjects: readonly ConfigSubject[] = [
  ...settingSubjects,
  textSubject('condition'),
  textSubject('agreement'),
  bannerSubject('invite'),
  bannerSubject('refund'),
  banks,
  sources,
  depositAccountSubject,
  limits,
  networks,
];
