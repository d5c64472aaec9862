import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { currencies, parseDecimal } from '@krapao/contract/money';
import { z } from 'zod';
import type { Database, Tx } from '../../platform/database/database.ts';
import { limitNames } from './limits.ts';
import { settingShapes, translated } from './lookup.ts';
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

/** The folder of the demonstration data. */
export const SEEDS = join(import.meta.dirname, '../../../seed');

const money = z.string().transform((text) => {
  const amount = parseDecimal(text);
  if (amount === undefined) throw new Error(`"${text}" is not an amount`);
  return amount;
});
const banks = z.array(
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
const sources = z.array(translated.extend({ code: z.string() }));
const texts = z.object({ condition: z.array(translated), agreement: z.array(translated) });
const banners = z.array(translated.extend({ kind: z.enum(['invite', 'refund']), image: z.string() }));
const limits = z.record(z.enum(limitNames), z.object({ hits: z.int(), windowSeconds: z.int() }));
const depositAccounts = z.array(
  z.object({
    bankCode: z.string(),
    bankType: z.enum(['PAYMENT', 'BANK']),
    mode: z.string(),
    nameTH: z.string(),
    nameEN: z.string(),
    accountName: z.string(),
    accountNo: z.string(),
    currency: z.enum(currencies),
    minimum: money.nullable(),
    maximum: money.nullable(),
  }),
);
const walletAccounts = z.array(
  z.object({ mode: z.enum(['AUTO', 'GIFT']), accountName: z.string(), accountNo: z.string() }),
);
// Parsed for its shape; what is stored is the text of the file, which is parsed again when it is read.
const settings = z.object(settingShapes);

/**
 * Fills in a file of the demonstration data the first time that it is asked for, and never again: from then on the rows
 * belong to the operator, also when there are none left.
 */
export async function seedOnce(tx: Tx, name: string, fill: (tx: Tx, content: unknown) => Promise<void>): Promise<void> {
  if (!(await markSeeded(tx, name))) return;
  await fill(tx, contentOf(name));
}

const contentOf = (name: string): unknown => JSON.parse(readFileSync(join(SEEDS, `${name}.json`), 'utf8'));

/** Fills the tables of the lookups on the first start. Servers that start together do it once. */
export async function seedLookup(database: Database): Promise<void> {
  await database.tx(async (tx) => {
    await seedOnce(tx, 'banks', async (_, content) => {
      for (const [index, bank] of banks.parse(content).entries()) await insertBank(tx, bank, index);
    });
    await seedOnce(tx, 'sources', async (_, content) => {
      for (const [index, source] of sources.parse(content).entries()) await insertSource(tx, source, index);
    });
    await seedOnce(tx, 'texts', async (_, content) => {
      const { condition, agreement } = texts.parse(content);
      for (const [index, text] of condition.entries()) await insertText(tx, { kind: 'condition', ...text }, index);
      for (const [index, text] of agreement.entries()) await insertText(tx, { kind: 'agreement', ...text }, index);
    });
    await seedOnce(tx, 'banners', async (_, content) => {
      for (const [index, banner] of banners.parse(content).entries()) await insertBanner(tx, banner, index);
    });
    await seedOnce(tx, 'deposit', async (_, content) => {
      for (const [index, account] of depositAccounts.parse(content).entries()) {
        await insertDepositAccount(tx, account, index);
      }
    });
    await seedOnce(tx, 'wallets', async (_, content) => {
      for (const [index, account] of walletAccounts.parse(content).entries()) {
        await insertWalletAccount(tx, account, index);
      }
    });
    await fillMissing(tx);
  });
}

// Adds settings that a newer program reads: missing names are inserted at every start.
async function fillMissing(tx: Tx): Promise<void> {
  const values = contentOf('settings');
  settings.parse(values);
  for (const [name, value] of Object.entries(values as object)) await insertSetting(tx, name, value);
  for (const [name, limit] of Object.entries(limits.parse(contentOf('limits')))) await insertLimit(tx, name, limit);
}
