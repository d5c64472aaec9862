import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { failureText } from '../../shared/errors/failure-text.ts';
import { formatDateTime } from '../../format/date.ts';
import { openBlankTab } from '../../blank-tab.ts';
import { buttonClass } from '../../ui/button-class.ts';
import { Button } from '../../ui/button.tsx';
import { toast } from '../../ui/overlay/toast-store.ts';
import type { Slip } from './slip.ts';
import { pictureAddress, pictureOf } from './slip-picture.ts';

/** Shows the picture of a slip in a window of its own: by its direct link if it has one, else asked for by reference. */
export function SlipView({ slip }: { slip: Slip }) {
  const { t } = useTranslation('statement');
  const [isOpening, setOpening] = useState(false);
  const [heldBack, setHeldBack] = useState<string>();
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
  return (
    <Button
      variant="quiet"
      size="sm"
      aria-label={label}
      busy={isOpening && t('slips.view')}
      onClick={() => void open()}
    >
      {t('slips.view')}
    </Button>
  );
}
