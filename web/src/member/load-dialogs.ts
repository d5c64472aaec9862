import { loadNamespaces } from '../i18n/i18n.ts';

/** The dialogs of the home page with their words, which the bonus page opens too. They are one file, and so are the words. */
export async function loadDialogs() {
  const [dialogs] = await Promise.all([
    import('../screens/dialogs.tsx'),
    loadNamespaces(['deposit', 'transfer', 'withdraw', 'game', 'invite', 'refund', 'statement', 'errors']),
  ]);
  return dialogs;
}
