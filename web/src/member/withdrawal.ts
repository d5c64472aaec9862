import { i18n } from '../i18n/i18n.ts';
import { PAGE_SIZE } from '@krapao/contract/constants';
import { call } from '../api/call.ts';

export type EndedWithdrawal = { amount: number; isPaid: boolean; reason: string | null };

/** Text of why a withdrawal failed. Reasons without a text of their own concern only the operator. */
export function withdrawReasonText(reason: string | null): string {
  const words: unknown = i18n.getResource(i18n.language, 'parts', ['withdrawReason', reason ?? 'other'] as never);
  return typeof words === 'string' ? words : i18n.t('parts:withdrawReason.other');
}

/**
 * A withdrawal from the statement; its event has neither amount nor reason.
 * @returns undefined while it is pending, when it isn't among the newest entries, or after a failure
 */
export async function endedWithdrawal(reference: string): Promise<EndedWithdrawal | undefined> {
  const body = { page: 1, limit: PAGE_SIZE };
  const answer = await call('POST /api/statement', { body, quiet: true }).catch(() => undefined);
  const line = answer?.statements.find((entry) => entry.reference === reference);
  if (!line || line.status === 'PROCESSING') return undefined;
  return { amount: line.requested, isPaid: line.status === 'SUCCESS', reason: line.reason };
}
