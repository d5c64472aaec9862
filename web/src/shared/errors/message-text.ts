import { i18n } from '../../i18n/i18n.ts';

/**
 * Text for the `message` of a successful reply: from section `message` of a loaded namespace, else the message itself.
 */
export function messageText(message: string, namespace: 'bonus' | 'refund', values: Record<string, string>): string {
  const words: unknown = i18n.getResource(i18n.language, namespace, ['message', message] as never);
  return typeof words === 'string' ? i18n.t(`${namespace}:message.${message}` as never, values) : message;
}
