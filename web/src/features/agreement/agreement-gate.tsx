import { AGREEMENT_DELAY_MS, STORAGE } from '@krapao/contract/constants';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLookup } from '../../api/lookup.ts';
import { Button } from '../../ui/core/button.tsx';
import { Modal } from '../../ui/modal.tsx';
import { readyForHtml, SafeHtml } from '../../ui/data/safe-html.tsx';
import { readStored, writeStored } from '../../shell/storage.ts';

export type AgreementGateProps = {
  /** Start of the page in ms of `performance.now()`. */
  since: number;
  /** Another dialog is open: the agreement waits until it is closed. */
  isHeld: boolean;
};

/**
 * Shows the agreements shortly after the page has loaded, unless this version was accepted on this device. Closing
 * without accepting shows them again at the next visit. If they can't be loaded, nothing is shown.
 */
export function AgreementGate({ since, isHeld }: AgreementGateProps) {
  const { t } = useTranslation('agreement');
  const { data: texts = [] } = useLookup('GET /api/lookup/agreements', true);
  const version = useLookup('GET /api/lookup/info', true).data?.agreementVersion;
  const [isDue, setDue] = useState(false);
  const [isReady, setReady] = useState(false);
  const [isClosed, setClosed] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setDue(true), since + AGREEMENT_DELAY_MS - performance.now());
    return () => clearTimeout(timer);
  }, [since]);
  const isWanted = texts.length > 0 && version !== undefined && !isAccepted(version);
  const mayBeWanted = version === undefined || !isAccepted(version);
  useEffect(() => {
    if (mayBeWanted)
      readyForHtml().then(
        () => setReady(true),
        () => undefined,
      );
  }, [mayBeWanted]);
  const accept = (): void => {
    if (version !== undefined) rememberAcceptance(version);
    setClosed(true);
  };
  const isOpen = isDue && isReady && !isHeld && !isClosed && isWanted;
  return (
    <Modal
      open={isOpen}
      onClose={() => setClosed(true)}
      title={t('title')}
      footer={
        <>
          <Button onClick={accept}>{t('accept')}</Button>
          <Button variant="plain" onClick={() => setClosed(true)}>
            {t('later')}
          </Button>
        </>
      }
    >
      <div className="grid gap-5">
        {texts.map((html, index) => (
          <SafeHtml key={index} html={html} />
        ))}
      </div>
    </Modal>
  );
}

/** Whether this version of the agreements was accepted on this device, in any language. */
export const isAccepted = (version: string): boolean => readStored(STORAGE.rememberAgreement) === version;

export const rememberAcceptance = (version: string): void => writeStored(STORAGE.rememberAgreement, version);
