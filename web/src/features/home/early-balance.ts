/**
 * Shows the balance as soon as the reply to the page's own call is there, before the app's scripts are. Built into the page of
 * /user/home as an inline script (`build/page-scripts.ts`), so it imports nothing that needs React.
 */
import { toWire } from '@krapao/contract/money';
import type { Wallet } from '../../shared/wallet/use-wallet.ts';
import { formatNumber } from '../../format/number.ts';
import { EARLY_BALANCE_ID, EARLY_CURRENCY } from './early-balance-id.ts';
import { totalOf } from '../../shared/wallet/total.ts';
import { charactersOf } from './total.ts';

async function show(response: Response): Promise<void> {
  // A copy: the app reads the reply itself.
  const wallet = (await response.clone().json()) as Wallet;
  const place = document.getElementById(EARLY_BALANCE_ID);
  const total = totalOf(wallet);
  if (!place || total === undefined || wallet.profile.currency !== EARLY_CURRENCY) return;
  const balance = formatNumber(toWire(total));
  place.style.setProperty('--characters', String(charactersOf(balance)));
  place.textContent = balance;
  (place.previousElementSibling as HTMLElement).hidden = true;
}

// A refusal, or a reply that is no wallet: the app sees it too and decides.
globalThis.firstCalls?.replies['GET /api/wallet ']?.then(show).catch(() => undefined);
