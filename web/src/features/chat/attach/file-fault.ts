import { ApiFailure } from '../../../api/failure.ts';
import { failureText } from '../../../shared/errors/failure-text.ts';
import { i18n } from '../../../i18n/i18n.ts';

const detailOf = (failure: unknown): string | undefined => (failure instanceof ApiFailure ? failure.detail : undefined);

/** Whether a message was refused because its file isn't there for whoever sends it: too long ago, or as somebody else. */
export const isFileGone = (failure: unknown): boolean => detailOf(failure) === 'NO_FILE';

/** Why a message didn't get through: more precise than its code where it is a matter of the file. */
export const sendFailureText = (failure: unknown): string =>
  // Something else than its extension says.
  detailOf(failure) === 'FILE_TYPE' ? i18n.t('chat:attach.notSupported') : failureText(failure);
