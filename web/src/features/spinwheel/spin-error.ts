import { ApiFailure } from '../../api/failure.ts';
import { failureText } from '../../shared/errors/failure-text.ts';
import { i18n } from '../../i18n/i18n.ts';

/** A spin or a claim that was answered with a no and its code. */
export class Refused extends Error {
  override readonly name = 'Refused';
}

/** The words of the wheel for a code, whichever way it came; else those that every failure has. */
export function spinErrorText(failure: unknown): string {
  const code = failure instanceof Error ? failure.message : '';
  const words: unknown = i18n.getResource(i18n.language, 'spinwheel', ['error', code] as never);
  if (typeof words === 'string') return words;
  return failureText(failure instanceof Refused ? new ApiFailure(code, 200) : failure);
}
