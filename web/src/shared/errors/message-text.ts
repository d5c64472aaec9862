import { i18n } from '../../i18n/i18n.ts';

/**
 * The words for the `message` of a call that succeeded: the section `message` of `word`, which must be loaded, else what
 * the server said.
 */
export function messageText(message: string, word: 'bonus' | 'refund', values: Record<string, string>): string {
  const words: unknown = i18n.getResource(i18n.language, word, ['message', message] as never);
  return typeof words === 'string' ? i18n.t(`${word}:message.${message}` as never, values) : message;
}
