import { loadNamespaces } from '../i18n/i18n.ts';

/**
 * Loads the dialogs of the home page with their texts, which the bonus page uses too. They are one chunk, and so are
 * the texts.
 */
export async function loadDialogs() {
  const [dialogs] = await Promise.all([
    import('./dialogs.tsx'),
    loadNamespaces([
      'deposit',
      'transfer',
      'withdraw',
      'game',
      'invite',
      'refund',
      'statement',
      'errors',
      'lobby',
      'money',
      'push',
    ]),
  ]);
  return dialogs;
}
