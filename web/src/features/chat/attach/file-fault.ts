import { ApiFailure } from '../../../api/failure.ts';
import { failureText } from '../../../shared/errors/failure-text.ts';
import { i18n } from '../../../i18n/i18n.ts';

const detailOf = (failure: unknown): string | undefined => (failure instanceof ApiFailure ? failure.detail : undefined);

/** Whether a message was refused because its file doesn't exist for the sender: expired, or uploaded by another sender. */
export const isFileGone = (failure: unknown): boolean => detailOf(failure) === 'NO_FILE';

/** Why a message didn't get through: more precise than its code where it is a matter of the file. */
export const sendFailureText = (failure: unknown): string =>
  // Something else than its extension says.
  detailOf(failure) === 'FILE_TYPE' ? i18n.t('chat:attach.notSupported') : failureText(failure);
