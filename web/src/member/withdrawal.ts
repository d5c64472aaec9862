import { i18n } from '../i18n/i18n.ts';
import { PAGE_SIZE } from '@krapao/contract/constants';
import { call } from '../api/call.ts';

/** How a withdrawal ended: paid, or not, and why. */
export type EndedWithdrawal = { amount: number; isPaid: boolean; reason: string | null };

/** Why a withdrawal failed, in words. A reason without words of its own is one that only the operator can do anything about. */
export function withdrawReasonText(reason: string | null): string {
  const words: unknown = i18n.getResource(i18n.language, 'parts', ['withdrawReason', reason ?? 'other'] as never);
  return typeof words === 'string' ? words : i18n.t('parts:withdrawReason.other');
}

/**
 * What the statement says of a withdrawal; the event tells neither how much it was nor why.
 * @returns undefined while it has not ended, when it isn't among the newest lines, or when they can't be had
 */
export async function endedWithdrawal(reference: string): Promise<EndedWithdrawal | undefined> {
  const body = { page: 1, limit: PAGE_SIZE };
  const answer = await call('POST /api/statement', { body, quiet: true }).catch(() => undefined);
  const line = answer?.statements.find((entry) => entry.reference === reference);
  if (!line || line.status === 'PROCESSING') return undefined;
  return { amount: line.requested, isPaid: line.status === 'SUCCESS', reason: line.reason };
}
