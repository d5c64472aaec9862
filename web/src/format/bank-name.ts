import { currentLanguage } from '../i18n/i18n.ts';

type BankNames = { nameTH: string; nameEN: string; nameLA: string };

const NAMES = { th: 'nameTH', la: 'nameLA', en: 'nameEN' } as const;

/** What a bank is called in the language of the app: the one place that chooses between its names. */
export const bankName = (bank: BankNames): string => bank[NAMES[currentLanguage()]];
