import { SLIP_IMAGE_FORMATS } from '@krapao/contract/input/image';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiFailure } from '../../../api/errors.ts';
import { useCommand } from '../../../api/query/command.ts';
import { apiQuery } from '../../../api/query/query.ts';
import type { Reply } from '../../../api/types.ts';
import { upload } from '../../../api/upload.ts';
import { useCurrency } from '../../../member/use-currency.ts';
import { prepareImage } from '../../../shared/image-file.ts';
import { toast } from '../../../ui/core/toast.tsx';
import { depositFailureText, useChosenBonus } from '../bonus/bonus-choice.tsx';

/**
 * Uploads slips. Closing the dialog does not abort the upload; a toast shows the result.
 * @param bytesMax maximum image size in bytes; a larger image is reduced first
 * @returns the state of the upload, with the uploaded share from 0 to 1
 */
export function useSlipUpload(bytesMax: number) {
  const { t } = useTranslation('deposit');
  const [share, setShare] = useState(0);
  const chosenBonus = useChosenBonus();
  const { currency } = useCurrency();
  const command = useCommand<File, Reply<'POST /api/wallet/slip'>>({
    send: async (image, { signal }) => {
      setShare(0);
      // Can't be aborted; an upload with an aborted signal sends nothing.
      const file = await prepareImage(image, { types: SLIP_IMAGE_FORMATS, bytesMax }).catch(() => {
        throw new ApiFailure('SLIP_INVALID_FILE', 400);
      });
      const onProgress = (uploaded: number): void => {
        if (!signal.aborted) setShare(uploaded);
      };
      return upload('POST /api/wallet/slip', file, { signal, onProgress, fields: chosenBonus(undefined, currency) });
    },
    // Also after a failure: a lost reply may have stored the slip.
    invalidates: ['statement'],
    onResult: (result, isShown) => {
      if (isShown) return;
      if ('failure' in result) toast.danger(depositFailureText(result.failure));
      else toast.success(t('slipSent'));
    },
  });
  return { ...command, share };
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
