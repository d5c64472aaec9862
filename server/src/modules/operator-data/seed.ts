import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { currencies } from '@krapao/contract/money';
import { z } from 'zod';
import type { Database, Tx } from '../../platform/database/database.ts';
import { decimalToMinor } from '../../platform/documents/fields.ts';
import { limitNames } from './limits.ts';
import { settingShapes, translatedSchema } from './operator-data.ts';
import {
  insertBank,
  insertBanner,
  insertDepositAccount,
  insertLimit,
  insertSetting,
  insertSource,
  insertText,
  insertWalletAccount,
  markSeeded,
} from './queries.ts';

/** Folder of the seed data. */
export const SEED_FOLDER = join(import.meta.dirname, '../../../seed');

const moneySchema = z.string().transform(decimalToMinor);
const banksSchema = z.array(
  z
    .object({
      code: z.string(),
      number: z
        .string()
        .regex(/^\d{3}$/)
        .nullable()
        .default(null),
      nameTH: z.string(),
      nameEN: z.string(),
      country: z.enum(['TH', 'LA']),
      digits: z.tuple([z.int(), z.int()]),
    })
    .transform(({ digits: [digitsMin, digitsMax], ...bank }) => ({ ...bank, digitsMin, digitsMax })),
);
const sourcesSchema = z.array(translatedSchema.extend({ code: z.string() }));
const textsSchema = z.object({ condition: z.array(translatedSchema), agreement: z.array(translatedSchema) });
const bannersSchema = z.array(translatedSchema.extend({ kind: z.enum(['invite', 'refund']), image: z.string() }));
const limitsSchema = z.record(z.enum(limitNames), z.object({ hits: z.int(), windowSeconds: z.int() }));
const depositAccountsSchema = z.array(
  z.object({
    bankCode: z.string(),
    bankType: z.enum(['PAYMENT', 'BANK']),
    mode: z.string(),
    nameTH: z.string(),
    nameEN: z.string(),
    accountName: z.string(),
    accountNo: z.string(),
    currency: z.enum(currencies),
    minimum: moneySchema.nullable(),
    maximum: moneySchema.nullable(),
  }),
);
const walletAccountsSchema = z.array(
  z.object({ mode: z.enum(['AUTO', 'GIFT']), accountName: z.string(), accountNo: z.string() }),
);
// Only validated: the text of the file is stored, and parsed again when it is read.
const settingsSchema = z.object(settingShapes);

/**
 * Inserts a seed file once, on the first call. Later calls insert nothing, even when the operator has deleted all rows.
 */
export async function seedOnce(
  tx: Tx,
  name: string,
  insertRows: (tx: Tx, content: unknown) => Promise<void>,
): Promise<void> {
  if (!(await markSeeded(tx, name))) return;
  await insertRows(tx, readSeed(name));
}

/** The content of a seed file. */
export const readSeed = (name: string): unknown => JSON.parse(readFileSync(join(SEED_FOLDER, `${name}.json`), 'utf8'));

/** Seeds the operator data on the first start. Servers that start together seed them once. */
export async function seedOperatorData(database: Database): Promise<void> {
  await database.tx(async (tx) => {
    await seedOnce(tx, 'banks', async (_, content) => {
      for (const [index, bank] of banksSchema.parse(content).entries()) await insertBank(tx, bank, index);
    });
    await seedOnce(tx, 'sources', async (_, content) => {
      for (const [index, source] of sourcesSchema.parse(content).entries()) await insertSource(tx, source, index);
    });
    await seedOnce(tx, 'texts', async (_, content) => {
      const { condition, agreement } = textsSchema.parse(content);
      for (const [index, text] of condition.entries()) await insertText(tx, { kind: 'condition', ...text }, index);
      for (const [index, text] of agreement.entries()) await insertText(tx, { kind: 'agreement', ...text }, index);
    });
    await seedOnce(tx, 'banners', async (_, content) => {
      for (const [index, banner] of bannersSchema.parse(content).entries()) await insertBanner(tx, banner, index);
    });
    await seedOnce(tx, 'deposit', async (_, content) => {
      for (const [index, account] of depositAccountsSchema.parse(content).entries()) {
        await insertDepositAccount(tx, account, index);
      }
    });
    await seedOnce(tx, 'wallets', async (_, content) => {
      for (const [index, account] of walletAccountsSchema.parse(content).entries()) {
        await insertWalletAccount(tx, account, index);
      }
    });
    await fillMissing(tx);
  });
}

// Adds settings that a newer version reads: missing names are inserted at every start.
async function fillMissing(tx: Tx): Promise<void> {
  const values = readSeed('settings');
  settingsSchema.parse(values);
  for (const [name, value] of Object.entries(values as object)) await insertSetting(tx, name, value);
  for (const [name, limit] of Object.entries(limitsSchema.parse(readSeed('limits'))))
    await insertLimit(tx, name, limit);
}
