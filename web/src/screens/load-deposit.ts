import { loadWords } from '../i18n/load-words.ts';

/** The dialog to deposit with its words, for whichever page opens it. */
export async function loadDeposit() {
  const [{ DepositDialog }] = await Promise.all([
    import('../features/deposit/deposit-dialog.tsx'),
    loadWords(['deposit', 'errors', 'statement']),
  ]);
  return DepositDialog;
}
