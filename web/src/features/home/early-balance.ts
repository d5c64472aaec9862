import type { STORAGE } from '@krapao/contract/constants';
import { toWire } from '@krapao/contract/money';
import { onEarlyReply } from '../../api/early-reply.ts';
import { readLocalStorage } from '../../browser/storage.ts';
import { formatNumber } from '../../format/number.ts';
import { totalBalance } from '../../member/amounts.ts';
import type { Wallet } from '../../member/wallet.ts';
import { EARLY_BALANCE_ID, EARLY_CURRENCY, totalCharacters } from './balance-total.ts';

/** A copy: the page would contain every key of `STORAGE`. */
const HIDE_BALANCE_KEY: typeof STORAGE.hideBalance = 'hide-balance';

function showBalance(wallet: Wallet): void {
  const balanceElement = document.getElementById(EARLY_BALANCE_ID);
  const total = totalBalance(wallet);
  // The app has rendered its amount, and would no longer update it.
  if (!balanceElement || balanceElement.firstElementChild) return;
  if (total === undefined || wallet.profile.currency !== EARLY_CURRENCY) return;
  if (readLocalStorage(HIDE_BALANCE_KEY) !== null) return;
  const balance = formatNumber(toWire(total));
  balanceElement.style.setProperty('--characters', String(totalCharacters(balance)));
  balanceElement.textContent = balance;
  (balanceElement.previousElementSibling as HTMLElement).hidden = true;
}

onEarlyReply('GET /api/wallet ', showBalance);
