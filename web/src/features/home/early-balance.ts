import { toWire } from '@krapao/contract/money';
import type { Wallet } from '../../member/wallet.ts';
import { formatNumber } from '../../format/number.ts';
import { EARLY_BALANCE_ID, EARLY_CURRENCY, totalCharacters } from './balance-total.ts';
import { totalBalance } from '../../member/amounts.ts';

async function show(response: Response): Promise<void> {
  // A copy: the app reads the reply itself.
  const wallet = (await response.clone().json()) as Wallet;
  const place = document.getElementById(EARLY_BALANCE_ID);
  const total = totalBalance(wallet);
  if (!place || total === undefined || wallet.profile.currency !== EARLY_CURRENCY) return;
  const balance = formatNumber(toWire(total));
  place.style.setProperty('--characters', String(totalCharacters(balance)));
  place.textContent = balance;
  (place.previousElementSibling as HTMLElement).hidden = true;
}

// A refusal, or a reply that is no wallet: the app sees it too and decides.
globalThis.firstCalls?.replies['GET /api/wallet ']?.then(show).catch(() => undefined);
