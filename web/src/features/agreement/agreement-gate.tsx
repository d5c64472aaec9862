import { AGREEMENT_DELAY_MS, STORAGE } from '@krapao/contract/constants';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useOperatorData } from '../../api/operator-data.ts';
import { readStored, writeStored } from '../../browser/storage.ts';
import { Button } from '../../ui/core/button.tsx';
import { readyForHtml, SafeHtml } from '../../ui/data/safe-html.tsx';
import { Modal } from '../../ui/modal.tsx';

export type AgreementGateProps = {
  /** Time of the first render of the page, in ms of `performance.now()`. */
  firstRenderMs: number;
  /** Delays the agreements while another dialog is open. */
  isDelayed: boolean;
};

/**
 * Shows the agreements shortly after the page has loaded, unless this version was accepted on this device. Closing
 * without accepting shows them again at the next visit. Shows nothing if they can't be loaded.
 */
export function AgreementGate({ firstRenderMs, isDelayed }: AgreementGateProps) {
  const { t } = useTranslation('agreement');
  const { data: texts = [] } = useOperatorData('GET /api/lookup/agreements', true);
  const version = useOperatorData('GET /api/lookup/info', true).data?.agreementVersion;
  const [hasDelayPassed, setDelayPassed] = useState(false);
  const [areTextsReady, setTextsReady] = useState(false);
  const [isClosed, setClosed] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setDelayPassed(true), firstRenderMs + AGREEMENT_DELAY_MS - performance.now());
    return () => clearTimeout(timer);
  }, [firstRenderMs]);
  const mustShow = texts.length > 0 && version !== undefined && !isAccepted(version);
  const mayHaveToShow = version === undefined || !isAccepted(version);
  useEffect(() => {
    if (mayHaveToShow)
      readyForHtml().then(
        () => setTextsReady(true),
        () => undefined,
      );
  }, [mayHaveToShow]);
  const acceptAgreements = (): void => {
    if (version !== undefined) rememberAcceptance(version);
    setClosed(true);
  };
  const isOpen = hasDelayPassed && areTextsReady && !isDelayed && !isClosed && mustShow;
  return (
    <Modal
      open={isOpen}
      onClose={() => setClosed(true)}
      title={t('title')}
      footer={
        <>
          <Button onClick={acceptAgreements}>{t('accept')}</Button>
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
