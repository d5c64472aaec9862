import { en } from './words-en.js';
import { la } from './words-la.js';
import { th } from './words-th.js';
import { walletWords } from './words-wallet.js';

export const WORDS = {
  th: { ...th, ...walletWords.th },
  la: { ...la, ...walletWords.la },
  en: { ...en, ...walletWords.en },
};
