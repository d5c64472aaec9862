import { SLIP_IMAGE_FORMATS } from '@krapao/contract/input/image';
import { useCallback, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiFailure } from '../../../api/errors.ts';
import { failureText } from '../../../shell/error-text.ts';
import { invalidate, apiQuery } from '../../../api/query/query.ts';
import { upload } from '../../../api/upload.ts';
import { toast } from '../../../ui/core/toast.tsx';
import { prepareImage } from '../../../shared/image-file.ts';
import { useQuery } from '@tanstack/react-query';

/** State of an upload. `part`: uploaded share, 0 to 1. */
export type SlipUpload =
  | { step: 'idle' }
  | { step: 'sending'; part: number }
  | { step: 'sent'; reference: string }
  | { step: 'failed'; text: string };

/**
 * Uploads slips. Closing the dialog does not abort the upload; a toast shows the result.
 * @param bytesMax maximum image size in bytes; a larger image is reduced first
 */
export function useSlipUpload(bytesMax: number) {
  const { t } = useTranslation('deposit');
  const [state, setState] = useState<SlipUpload>({ step: 'idle' });
  const underWay = useRef<AbortController>(undefined);
  const isShown = useRef(true);
  useEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
    };
  }, []);

  const send = async (picture: File): Promise<void> => {
    const stop = new AbortController();
    underWay.current = stop;
    setState({ step: 'sending', part: 0 });
    try {
      const file = await prepareImage(picture, { types: SLIP_IMAGE_FORMATS, bytesMax }).catch(() => {
        throw new ApiFailure('SLIP_INVALID_FILE', 400);
      });
      const onProgress = (part: number): void => {
        if (!stop.signal.aborted) setState({ step: 'sending', part });
      };
      const { slip } = await upload('POST /api/wallet/slip', file, { signal: stop.signal, onProgress });
      setState({ step: 'sent', reference: slip.reference });
      if (!isShown.current) toast.success(t('slipSent'));
    } catch (failure) {
      if (stop.signal.aborted) return;
      setState({ step: 'failed', text: failureText(failure) });
      if (!isShown.current) toast.danger(failureText(failure));
    } finally {
      // Also after a failure: a lost reply may have stored the slip.
      void invalidate('statement');
    }
  };
  const cancel = useCallback(() => {
    underWay.current?.abort();
    setState({ step: 'idle' });
  }, []);
  return { state, send, cancel, reset: cancel };
}

/** Refresh interval of the opening hours while displayed, in ms. */
const ASK_AGAIN_MS = 60_000;
const HOUR_MINUTES = 60;

/** Opening hours, maximum age and size of slips, as configured by the operator. */
export const useSlipTimes = () =>
  useQuery({ ...apiQuery('GET /api/lookup/slip', { quiet: true }), staleTime: 0, refetchInterval: ASK_AGAIN_MS });

/** The same as sentences; undefined while loading or without restrictions. */
export function useSlipWords(): { within: string | undefined; closed: string | undefined } {
  const { t } = useTranslation('deposit');
  const { data } = useSlipTimes();
  if (!data) return { within: undefined, closed: undefined };
  const { expireMinutes, closedFrom, closedTo } = data;
  const time =
    expireMinutes % HOUR_MINUTES === 0
      ? t('hours', { count: expireMinutes / HOUR_MINUTES })
      : t('minutes', { count: expireMinutes });
  return {
    within: t('slipWithin', { time }),
    closed: closedFrom === closedTo ? undefined : t('slipClosed', { from: closedFrom, to: closedTo }),
  };
}
