import { STORAGE } from '@krapao/contract/constants';
import { useLayoutEffect, useState, type Ref } from 'react';
import { createPortal } from 'react-dom';
import { useTranslation } from 'react-i18next';
import { readSessionValue, writeSessionValue } from '../../api/session.ts';
import { MemberMoneyText } from '../../shared/balance-display.tsx';
import { ClockIcon } from '../../ui/data/member-icons.tsx';
import { ItemText } from './item-text.tsx';
import type { Pending, PendingItem } from './use-pending.ts';

function storedKeys(): readonly unknown[] {
  const keys = readSessionValue(STORAGE.collapsedItems);
  return Array.isArray(keys) ? keys : [];
}

/** Open items that the member has put aside in this session. A new item opens the strip again. */
export function useCollapsed(items: readonly PendingItem[]) {
  const [collapsedKeys, setCollapsedKeys] = useState(storedKeys);
  const setCollapsed = (isCollapsed: boolean): void => {
    const newKeys = isCollapsed ? items.map(({ key }) => key) : [];
    setCollapsedKeys(newKeys);
    writeSessionValue(STORAGE.collapsedItems, newKeys);
  };
  return { isCollapsed: items.every(({ key }) => collapsedKeys.includes(key)), setCollapsed };
}

/** Container of a portal before the tools of the top bar. A portal into the top bar itself would append. */
export function useSlotBefore(tools: HTMLElement): HTMLElement {
  const [slot] = useState(() => {
    const element = document.createElement('div');
    element.className = 'empty:hidden';
    return element;
  });
  useLayoutEffect(() => {
    tools.prepend(slot);
    return () => slot.remove();
  }, [tools, slot]);
  return slot;
}

export type StripPillProps = {
  slot: HTMLElement;
  pending: Pending;
  onOpen: () => void;
  ref: Ref<HTMLButtonElement>;
};

/** The collapsed strip: an amount, or on phones the number of open items. A press opens the strip. */
export function StripPill({ slot, pending: { items, total }, onOpen, ref }: StripPillProps) {
  const { t } = useTranslation('money');
  const [item] = items;
  const amount = item?.payAmount ?? item?.amount;
  const isOne = total === 1 && item !== undefined;
  return createPortal(
    <section aria-label={t('strip.label')} className="strip-pill">
      <button
        ref={ref}
        type="button"
        aria-expanded={false}
        onClick={onOpen}
        className="relative flex min-h-11 min-w-11 items-center justify-center gap-2 rounded-full text-sm font-medium text-ivory ring-gold/60 ring-inset hover:bg-raised sm:bg-raised sm:px-3 sm:ring-1"
      >
        <ClockIcon className="size-6 text-amber sm:size-5" />
        <span className="sr-only">{isOne ? <ItemText item={item} /> : t('strip.several', { count: total })}</span>
        <span aria-hidden="true" className="max-sm:hidden">
          {isOne && typeof amount === 'number' ? <MemberMoneyText text={(format) => format(amount)} /> : total}
        </span>
        <span
          aria-hidden="true"
          className="absolute top-0 right-0 grid size-5 place-items-center rounded-full bg-gold text-xs font-bold text-well sm:hidden"
        >
          {total}
        </span>
      </button>
    </section>,
    slot,
  );
}
