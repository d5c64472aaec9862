import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Amount } from '../ui/text/amount.tsx';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { ConditionTerms } from '../shared/incentive/condition-terms.tsx';
import { Countdown } from '../ui/text/countdown.tsx';
import { EmptyState } from '../ui/state/empty-state.tsx';
import { ErrorState } from '../ui/state/error-state.tsx';
import { Loader } from '../ui/overlay/loader.tsx';
import { RelativeTime } from '../ui/text/relative-time.tsx';
import { SafeHtml } from '../ui/text/safe-html.tsx';
import { Skeleton } from '../ui/state/skeleton.tsx';
import { StatusBadge } from '../ui/text/status-badge.tsx';

const HOSTILE =
  '<h3>ญี่ปุ่น น้ำ ກະລຸນາ ຫຼິ້ນ</h3><p>One <b>two</b> <a href="javascript:alert(1)">three</a> <img src="x" onerror="alert(1)"></p><script>alert(1)</script><ul><li>1</li><li>2</li></ul>';

export function StatesSection() {
  const { t } = useTranslation(['common', 'parts']);
  const [balance, setBalance] = useState(12_345.5);
  const [isPending, setPending] = useState(false);
  const [now] = useState(() => Date.now());
  const [until] = useState(() => new Date(Date.now() + 899_000).toISOString());
  useEffect(() => {
    if (!isPending) return undefined;
    const timer = setTimeout(() => setPending(false), 3_500);
    return () => clearTimeout(timer);
  }, [isPending]);
  return (
    <Card title="Amount, time, states">
      <Loader pending={isPending} />
      <p className="text-balance font-bold">
        <Amount value={balance} withSign counts />
      </p>
      <p className="flex flex-wrap gap-4">
        <Amount value={250} signed /> <Amount value={-1200.5} signed />{' '}
        <Amount value={1_250_000.4} currency="LAK" withSign />
        <Amount value={null} /> <Countdown until={until} className="text-gold-lit" />
        <RelativeTime at={new Date(now - 3 * 3_600_000).toISOString()} className="text-muted" />
        <RelativeTime at={new Date(now - 61_000).toISOString()} className="text-muted" />
      </p>
      <div className="mt-4 flex flex-wrap gap-3">
        <Button variant="quiet" size="sm" onClick={() => setBalance(balance + 1_234.25)}>
          + 1,234.25
        </Button>
        <Button variant="quiet" size="sm" onClick={() => setPending(true)}>
          {t('loading')}
        </Button>
        {['SUCCESS', 'FAILED', 'PROCESSING'].map((status) => (
          <StatusBadge key={status} status={status} />
        ))}
      </div>
      <div className="mt-4 max-w-md">
        <ConditionTerms amount={49.5} percentSuccess={200} percentFail={10} currency="BAHT" />
      </div>
      <div className="mt-4 grid gap-4 sm:grid-cols-3">
        <div className="space-y-2" aria-busy="true">
          <Skeleton className="h-8 w-1/2" />
          <Skeleton className="h-5 w-full" />
          <Skeleton className="h-24 w-full rounded-md" />
        </div>
        <EmptyState
          title={t('parts:conditions.empty')}
          text={t('offline.now')}
          action={<Button size="sm">{t('retry')}</Button>}
        />
        <ErrorState reason={t('noAnswer')} onRetry={() => undefined} />
      </div>
      <SafeHtml html={HOSTILE} />
    </Card>
  );
}
