import { STORAGE } from '@krapao/contract/constants';
import type { Currency } from '@krapao/contract/money';
import { type RefObject, useEffect, useState, useSyncExternalStore } from 'react';
import { useTranslation } from 'react-i18next';
import { serverNow } from '../api/call.ts';
import { readSessionValue, storedToken, writeSessionValue } from '../api/session.ts';
import { createListeners } from '../browser/listeners.ts';
import { readStored, writeStored } from '../browser/storage.ts';
import { i18n } from '../i18n/i18n.ts';
import { type CurrencyFormat, useCurrency } from '../member/use-currency.ts';
import { Amount, type AmountProps } from '../ui/amount.tsx';

/** A balance of an earlier visit. Display only: no decision depends on it. */
export type RememberedTotal = {
  /** Major units, in wire format. */
  total: number;
  currency: Currency;
  /** ISO text, in the server's time. */
  at: string;
  /** Height in px of the rows below the total, which the next visit reserves; 0 if unknown for this window width. */
  rowsHeight: number;
};

/** Stored form. The head script of home reads `rows` too (`build/page-scripts.ts`). */
type StoredBalance = Omit<RememberedTotal, 'rowsHeight'> & { rows: { width: number; height: number } };

const AGE_MAX_MS = 30 * 24 * 3_600_000;

/** The last known balance of this session; undefined without one, or if it is malformed or older than 30 days. */
function readRememberedTotal(): RememberedTotal | undefined {
  const { total, currency, at, rows } = (readSessionValue(STORAGE.lastBalance) ?? {}) as Partial<StoredBalance>;
  if (typeof total !== 'number' || !Number.isFinite(total) || typeof at !== 'string') return undefined;
  const isFresh = serverNow() - Date.parse(at) < AGE_MAX_MS;
  const rowsHeight = rows?.width === innerWidth && typeof rows.height === 'number' ? rows.height : 0;
  return isFresh && (currency === 'BAHT' || currency === 'LAK') ? { total, currency, at, rowsHeight } : undefined;
}

/**
 * The balance of an earlier visit. Keeps each loaded balance for the next one, as long as the session that loaded it
 * lasts. `total` and `currency`: undefined until the wallet is loaded.
 * @param rowsRef the rows below the total
 */
export function useRememberedTotal(
  total: number | undefined,
  currency: Currency | undefined,
  rowsRef: RefObject<HTMLElement | null>,
): RememberedTotal | undefined {
  const [last] = useState(readRememberedTotal);
  const [token] = useState(storedToken);
  useEffect(() => {
    const rows = rowsRef.current;
    if (total === undefined || currency === undefined || token === null || !rows) return;
    const at = new Date(serverNow()).toISOString();
    const keepBalance: ResizeObserverCallback = ([entry]) => {
      if (!entry || storedToken() !== token) return;
      const { height } = entry.contentRect;
      const balance: StoredBalance = { total, currency, at, rows: { width: innerWidth, height } };
      writeSessionValue(STORAGE.lastBalance, balance);
    };
    // Also reports the initial size.
    const observer = new ResizeObserver(keepBalance);
    observer.observe(rows);
    return () => observer.disconnect();
  }, [total, currency, token, rowsRef]);
  return last;
}

const hiding = createListeners();
const isHidden = (): boolean => readStored(STORAGE.hideBalance) !== null;
const isHiddenInHtml = (): boolean => false;

function subscribe(listener: () => void): () => void {
  const unsubscribe = hiding.subscribe(listener);
  addEventListener('storage', listener);
  return () => {
    unsubscribe();
    removeEventListener('storage', listener);
  };
}

/** Whether the member hides amounts on this device. Survives logout. */
export const useBalanceHidden = (): boolean => useSyncExternalStore(subscribe, isHidden, isHiddenInHtml);

export function toggleBalanceHidden(): void {
  writeStored(STORAGE.hideBalance, isHidden() ? null : '1');
  hiding.notify();
}

/** Shown instead of an amount. */
export const HIDDEN_AMOUNT = '••••••';

/** An amount of the member's own money, which the eye hides. */
export const MemberAmount = (props: AmountProps) =>
  useBalanceHidden() ? <HiddenAmount className={props.className} /> : <Amount {...props} />;

/** Shown instead of an amount; screen readers get a word. */
function HiddenAmount({ className }: { className?: string | undefined }) {
  const { t } = useTranslation('common');
  return (
    <span className={className}>
      <span aria-hidden="true">{HIDDEN_AMOUNT}</span>
      <span className="sr-only">{t('amountHidden')}</span>
    </span>
  );
}

/** A sentence with the member's own money, which the eye hides. @param text the sentence, by how amounts are written */
export function MemberMoneyText({ text }: { text: (format: CurrencyFormat['format']) => string }) {
  const { format } = useCurrency();
  if (!useBalanceHidden()) return text(format);
  return text(() => HIDDEN_AMOUNT)
    .split(HIDDEN_AMOUNT)
    .flatMap((part, index) => (index === 0 ? [part] : [<HiddenAmount key={index} />, part]));
}

/** An amount of the member's own money in a toast or a label, or a word if the eye hides it. */
export const memberMoneyText = (amountText: string): string =>
  isHidden() ? i18n.t('common:amountHidden') : amountText;
