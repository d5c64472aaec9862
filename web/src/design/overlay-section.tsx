import { useState, useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { ConditionTerms } from '../shared/incentive.tsx';
import { Amount } from '../ui/amount.tsx';
import { Button } from '../ui/core/button.tsx';
import { Card } from '../ui/core/card.tsx';
import { Loader } from '../ui/core/loader.tsx';
import { TextInput } from '../ui/core/text-input.tsx';
import { toast } from '../ui/core/toast.tsx';
import { EmptyState } from '../ui/data/empty-state.tsx';
import { ErrorState } from '../ui/data/error-state.tsx';
import { SafeHtml } from '../ui/data/safe-html.tsx';
import { Skeleton } from '../ui/data/skeleton.tsx';
import { Modal } from '../ui/modal.tsx';
import { Popup } from '../ui/popup.tsx';
import { QrImage } from '../ui/qr-image.tsx';
import { StatusBadge } from '../ui/status-badge.tsx';
import { Countdown, RelativeTime } from '../ui/time.tsx';

const QR_SVG =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 7 7"><path d="M0 0h3v3H0zM4 0h3v3H4zM0 4h3v3H0zM4 4h1v1H4zM6 6h1v1H6z"/></svg>';

export function OverlaysSection() {
  const { t } = useTranslation(['common', 'parts', 'errors']);
  const [isOpen, setOpen] = useState(false);
  const [popup, setPopup] = useState<'success' | 'danger' | 'info'>();
  return (
    <Card title="Modal, Popup, Toast">
      <div className="flex flex-wrap gap-3">
        <Button onClick={() => setOpen(true)}>Modal</Button>
        {(['success', 'danger', 'info'] as const).map((tone) => (
          <Button key={tone} variant="quiet" onClick={() => setPopup(tone)}>
            Popup {tone}
          </Button>
        ))}
        {(['success', 'danger', 'info'] as const).map((tone) => (
          <Button
            key={tone}
            variant="quiet"
            onClick={() => toast[tone](t('parts:copied', { text: `123-456-7890 ${tone}` }))}
          >
            Toast {tone}
          </Button>
        ))}
      </div>
      <Modal
        open={isOpen}
        onClose={() => setOpen(false)}
        title={t('parts:conditions.title')}
        footer={
          <>
            <Button onClick={() => setPopup('danger')}>{t('ok')}</Button>
            <Button variant="quiet" onClick={() => toast.success(t('success'))}>
              {t('save')}
            </Button>
          </>
        }
      >
        <div className="space-y-4">
          <QrImage svg={QR_SVG} alt="QR" />
          <TextInput label={t('title.profile')} />
          {Array.from({ length: 12 }, (_, i) => (
            <p key={i}>{t('errors:errorMsg.INVALID_USER_INFO')}</p>
          ))}
        </div>
      </Modal>
      <Popup
        open={popup !== undefined}
        tone={popup ?? 'info'}
        title={t(popup === 'danger' ? 'parts:errorTitle' : 'success')}
        message={t('errors:errorMsg.TRANSFER_FAIL')}
        onClose={() => setPopup(undefined)}
        {...(popup === 'info' && {
          confirm: { label: t('ok'), onConfirm: () => setPopup(undefined), danger: true },
        })}
      />
    </Card>
  );
}

const HOSTILE_HTML =
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
        <Amount value={balance} withSign isAnimated />
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
      <SafeHtml html={HOSTILE_HTML} />
    </Card>
  );
}
