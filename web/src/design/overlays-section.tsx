import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { Modal } from '../ui/overlay/modal.tsx';
import { Popup } from '../ui/overlay/popup.tsx';
import { QrImage } from '../ui/qr-image.tsx';
import { TextInput } from '../ui/form/text-input.tsx';
import { toast } from '../ui/overlay/toast-store.ts';

const QR =
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
          <QrImage svg={QR} alt="QR" />
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
