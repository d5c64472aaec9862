import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { PROMPTPAY_GATEWAYS } from '@krapao/contract/constants';
import type { Language } from '@krapao/contract/languages';
import { counterpartyOf } from '@krapao/contract/statement';
import { phrase } from '../../platform/phrases.ts';
import { type FileContext, statementCsv } from './csv.ts';
import type { StatementExport } from './export-queries.ts';
import { pdfInput } from './pdf-input.ts';
import { eachPart } from './read-period.ts';
import type { ExportDeps } from './request-export.ts';
import { ledgerFilter } from './search.ts';

const compress = promisify(gzip);

/** A part in the form of its file, compressed. */
export type PackedPart = { lines: number; packed: Buffer };

/** Reads all of a period in one snapshot, which ends before a PDF is drawn. */
export async function packPeriod(deps: ExportDeps, { memberId, input }: StatementExport): Promise<PackedPart[]> {
  const { database, clock, game } = deps;
  const { format, language, currency, ...requested } = input;
  const { from, until } = requested;
  const filter = { ...(await ledgerFilter({ game }, requested, currency)), from, until };
  const nameOf = createNameOf(language, await game.names(language));
  const context: FileContext = { language, currency, nameOf };
  return database.tx(async (tx) => {
    await tx.query('set transaction isolation level repeatable read, read only');
    const parts: PackedPart[] = [];
    for await (const part of eachPart(deps, tx, { memberId, language, filter, asOf: clock.now() })) {
      const toPrint =
        format === 'csv'
          ? await statementCsv(part.entries, context)
          : await pdfInput(part, { ...context, from, until });
      parts.push({ lines: part.entries.length, packed: await compress(JSON.stringify(toPrint)) });
    }
    return parts;
  });
}

const ACCOUNT_PHRASES = new Map<string, readonly [namespace: 'money' | 'parts', key: string]>([
  ['WALLET', ['money', 'wallet']],
  ['WALLET_APP', ['money', 'walletApp']],
  ['BANK', ['money', 'bank']],
  ...PROMPTPAY_GATEWAYS.map((code) => [code, ['money', 'promptPay']] as const),
  ['BONUS', ['parts', 'condition.kind.BONUS']],
  ['PROMOTION', ['parts', 'condition.kind.PROMOTION']],
  ['REFUND', ['parts', 'condition.kind.REFUND']],
  ['INVITE', ['parts', 'condition.kind.INVITE']],
  ['LUCKYDRAW', ['money', 'export.wheel']],
]);

/** Returns a function that names an account by its phrase, bank code or game, or else by its own code. */
const createNameOf =
  (language: Language, games: ReadonlyMap<string, string>) =>
  (account: string): string => {
    const accountPhrase = ACCOUNT_PHRASES.get(account);
    if (accountPhrase) return phrase(language, ...accountPhrase);
    const counterparty = counterpartyOf(account);
    if (counterparty.kind === 'bank' && counterparty.bank) return counterparty.bank;
    return games.get(account) ?? account;
  };
