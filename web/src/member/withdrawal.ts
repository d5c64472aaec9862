import { PAGE_SIZE } from '@krapao/contract/constants';
import { call } from '../api/call.ts';
import { i18n } from '../i18n/i18n.ts';

export type EndedWithdrawal = { reference: string; amount: number; isPaid: boolean; reason: string | null };

/**
 * Text that explains a failed withdrawal. A reason without its own text concerns only the operator and gets the general
 * text.
 */
export function withdrawReasonText(reason: string | null): string {
  const text: unknown = i18n.getResource(i18n.language, 'parts', ['withdrawReason', reason ?? 'other'] as never);
  return typeof text === 'string' ? text : i18n.t('parts:withdrawReason.other');
}

/**
 * Loads an ended withdrawal from the statement, because its event contains neither amount nor reason.
 * @returns undefined while the withdrawal is pending, if the newest entries don't include it, or after a failed request
 */
export async function endedWithdrawal(reference: string): Promise<EndedWithdrawal | undefined> {
  const body = { page: 1, limit: PAGE_SIZE };
  const reply = await call('POST /api/statement', { body, quiet: true }).catch(() => undefined);
  const statementRow = reply?.statements.find((entry) => entry.reference === reference);
  if (!statementRow || statementRow.status === 'PROCESSING') return undefined;
  const { requested: amount, status, reason } = statementRow;
  return { reference, amount, isPaid: status === 'SUCCESS', reason };
}
