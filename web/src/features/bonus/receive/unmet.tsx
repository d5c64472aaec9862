import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiFailure, type UnmetRequirement } from '../../../api/failure.ts';
import { apiQuery } from '../../../api/query.ts';
import { refusalText } from '../../../shared/errors/refusal-text.ts';
import type { Offer } from './use-receive-bonus.ts';

/** Polling interval while an offer is open: requirements may change without an event. */
const POLL_MS = 5_000;

/** Unmet requirements of a bonus before a claim; undefined while loading and for a promotion code. */
export function useUnmet({ kind, code }: Offer, isWanted: boolean): readonly UnmetRequirement[] | undefined {
  const { data } = useQuery({
    ...apiQuery('GET /api/bonus/requirements/{code}', { params: { code }, quiet: true }),
    enabled: isWanted && kind === 'bonus',
    staleTime: 0,
    refetchInterval: POLL_MS,
  });
  return data?.unmet;
}

/** Lists unmet requirements with the text of each refusal. */
export function UnmetList({ unmet }: { unmet: readonly UnmetRequirement[] }) {
  const textOf = ({ code, detail }: UnmetRequirement): string =>
    refusalText(new ApiFailure(code, 409, detail ? { detail } : {}), 'bonus');
  return (
    <ul className="grid list-disc gap-1 pl-5 whitespace-pre-line">
      {unmet.map((one) => (
        <li key={`${one.code} ${one.detail ?? ''}`}>{textOf(one)}</li>
      ))}
    </ul>
  );
}

/** Unmet requirements before a claim. */
export function UnmetNotice({ unmet, children }: { unmet: readonly UnmetRequirement[]; children: ReactNode }) {
  const { t } = useTranslation('bonus');
  return (
    <section className="rounded-md bg-amber-deep px-4 py-3 text-sm text-amber">
      <h3 className="mb-1 font-semibold">{t('unmet')}</h3>
      <UnmetList unmet={unmet} />
      {children}
    </section>
  );
}
