import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { failureText } from '../../shared/errors/failure-text.ts';
import { formatDateTime } from '../../format/date.ts';
import { hasTabs, openBlankTab } from '../../blank-tab.ts';
import { buttonClass } from '../../ui/button-class.ts';
import { Button } from '../../ui/button.tsx';
import { Modal } from '../../ui/overlay/modal.tsx';
import { toast } from '../../ui/overlay/toast-store.ts';
import type { Slip } from './slip.ts';
import { pictureAddress, pictureOf } from './slip-picture.ts';

/**
 * Shows the image of a slip in a new tab, or in a dialog where a page can't open tabs: by its direct link if it has one,
 * else by reference.
 */
export function SlipView({ slip }: { slip: Slip }) {
  const { t } = useTranslation('statement');
  const [isOpening, setOpening] = useState(false);
  const [heldBack, setHeldBack] = useState<string>();
  const [shown, setShown] = useState<string>();
  const label = t('slips.viewOf', { time: formatDateTime(slip.createdAt) });
  const link = pictureAddress(slip.link ?? '') ?? heldBack;
  if (link)
    return (
      <a
        href={link}
        target="_blank"
        rel="noopener noreferrer"
        aria-label={label}
        className={buttonClass('quiet', 'sm')}
      >
        {heldBack ? t('slips.blockedLink') : t('slips.view')}
      </a>
    );
  const open = async (): Promise<void> => {
    const tab = openBlankTab(t('slips.opening'));
    setOpening(true);
    try {
      const url = await pictureOf(slip.reference);
      if (tab) tab.location.replace(url);
      else if (!hasTabs()) setShown(url);
      else {
        setHeldBack(url);
        toast.info(t('slips.blocked'));
      }
    } catch (failure) {
      tab?.close();
      toast.danger(failureText(failure));
    } finally {
      setOpening(false);
    }
  };
  const onMissing = (): void => {
    setShown(undefined);
    toast.danger(failureText(new Error('the image could not be loaded')));
  };
  return (
    <>
      <Button
        variant="quiet"
        size="sm"
        aria-label={label}
        busy={isOpening && t('slips.view')}
        onClick={() => void open()}
      >
        {t('slips.view')}
      </Button>
      <Modal open={shown !== undefined} onClose={() => setShown(undefined)} title={t('slips.picture')} size="lg">
        <img src={shown} alt={label} onError={onMissing} className="mx-auto h-auto max-w-full rounded-md bg-paper" />
      </Modal>
    </>
  );
}
