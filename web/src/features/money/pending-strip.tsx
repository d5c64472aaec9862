import { useCallback, useEffect, useRef, useState, type Ref } from 'react';
import { useTranslation } from 'react-i18next';
import { navigate } from 'wouter/use-browser-location';
import { useWallet } from '../../member/wallet.ts';
import { useKeyboardUp } from '../../shared/keyboard.ts';
import { openMoney } from '../../shared/open-money.ts';
import { usePlayAgain } from '../../shared/play-again.ts';
import { CheckIcon, ChevronDownIcon, ChevronRightIcon, CloseIcon, WarningIcon } from '../../ui/core/icons.tsx';
import { useTopModal } from '../../ui/core/overlay-stack.ts';
import { ClockIcon, PlayIcon } from '../../ui/data/member-icons.tsx';
import { Modal } from '../../ui/modal.tsx';
import { EndedText, ItemText, ItemTime } from './item-text.tsx';
import { StripPill, useCollapsed, useSlotBefore } from './strip-pill.tsx';
import { clearRoom, reserveRoom, type StripRows } from './strip-room.ts';
import { type Ended, outcomeKind, type Pending, type PendingItem, useEnded, usePending } from './use-pending.ts';

/**
 * The strip above the bottom menu: what is waited for, and how the last one ended. The page gets room below its content
 * while the strip is there, also behind a dialog, so that nothing shifts.
 *
 * @param tools element of the sticky top bar, in which the collapsed strip covers nothing of the page
 */
export function PendingStrip({ tools }: { tools: HTMLElement }) {
  const { t } = useTranslation('money');
  const pending = usePending();
  const topModal = useTopModal();
  const isHidden = useKeyboardUp() || topModal !== undefined;
  const { ended, leaving, dismiss } = useEnded(pending, isHidden);
  // An item stays until its end is known, so that the strip does not flicker.
  const shown = pending.items.length > 0 ? pending : { ...pending, items: leaving, total: leaving.length };
  const [isListOpen, setListOpen] = useState(false);
  // The currency is the wallet's.
  const hasWallet = useWallet().data !== undefined;
  const hasItems = hasWallet && shown.items.length > 0;
  const { isCollapsed, setCollapsed } = useCollapsed(shown.items);
  const slot = useSlotBefore(tools);
  const { focus, passFocus } = useFocusAfterPress();
  const toggle = (): void => {
    passFocus();
    setCollapsed(!isCollapsed);
  };
  // A success replaces the open items for some seconds; a failure stays, so both are shown.
  const isOpenShown = hasItems && !isCollapsed && ended?.tone !== 'good';
  const rowCount = ((hasWallet && ended ? 1 : 0) + (isOpenShown ? 1 : 0)) as StripRows;
  useEffect(() => reserveRoom(rowCount, hasItems), [rowCount, hasItems]);
  useEffect(() => clearRoom, []);
  const closeList = (): void => setListOpen(false);
  return (
    <>
      {hasItems && isCollapsed && <StripPill ref={focus} slot={slot} pending={shown} onOpen={toggle} />}
      {rowCount > 0 && !isHidden && (
        <section
          aria-label={t('strip.label')}
          className="strip fixed grid gap-2 inset-x-2 bottom-[calc(4.875rem+env(safe-area-inset-bottom))] z-20 mx-auto min-h-12 max-w-2xl animate-rise lg:right-8 lg:bottom-6 lg:left-68"
        >
          {ended && <EndedStrip ended={ended} onDismiss={dismiss} />}
          {isOpenShown && (
            <div className={`${BOX} bg-raised ring-gold/60`}>
              <OpenItems ref={focus} pending={shown} onList={() => setListOpen(true)} />
              <button
                type="button"
                aria-label={t('strip.collapse')}
                title={t('strip.collapse')}
                aria-expanded
                onClick={toggle}
                className={BOX_BUTTON}
              >
                <ChevronDownIcon className="size-5" />
              </button>
            </div>
          )}
        </section>
      )}
      <Modal open={isListOpen} onClose={closeList} title={t('strip.label')}>
        <ul className="grid gap-2">
          {pending.items.map((item) => (
            <li key={item.key}>
              <button
                type="button"
                onClick={() => {
                  closeList();
                  follow(item);
                }}
                className="flex min-h-14 w-full items-center gap-3 rounded-md px-3 py-2 text-left ring-1 ring-line hover:bg-raised"
              >
                <ItemLine item={item} lastKnown={pending.lastKnown} />
                <ChevronRightIcon className="size-5 shrink-0 text-muted" />
              </button>
            </li>
          ))}
        </ul>
      </Modal>
    </>
  );
}

const BOX =
  'flex min-h-12 w-full items-center rounded-md pr-0.5 pl-4 narrow:pl-2 text-left text-sm text-ivory shadow-high ring-1';
const BOX_BUTTON = 'ml-2 flex size-11 shrink-0 items-center justify-center rounded-sm text-muted hover:text-ivory';

/** Passes the focus from the strip to its pill and back when a press replaces one by the other. */
function useFocusAfterPress() {
  const isPressed = useRef(false);
  const focus = useCallback((button: HTMLButtonElement | null): void => {
    if (button && isPressed.current) button.focus({ preventScroll: true });
    if (button) isPressed.current = false;
  }, []);
  const passFocus = useCallback((): void => {
    isPressed.current = true;
  }, []);
  return { focus, passFocus };
}

/** Opens what an item waits for: its dialog, or its timeline. */
function follow({ key, target }: PendingItem): void {
  if (target === null) void openMoney(key);
  else navigate(target);
}

type OpenItemsProps = { pending: Pending; onList: () => void; ref: Ref<HTMLButtonElement> };

function OpenItems({ pending: { items, total, lastKnown }, onList, ref }: OpenItemsProps) {
  const { t } = useTranslation('money');
  const [item] = items;
  if (!item) return null;
  const isOne = total === 1;
  return (
    <button
      ref={ref}
      type="button"
      aria-haspopup={isOne ? undefined : 'dialog'}
      onClick={isOne ? () => follow(item) : onList}
      className="flex min-h-12 min-w-0 grow items-center gap-3 text-left hover:text-gold-lit narrow:gap-1.5"
    >
      {isOne ? (
        <ItemLine item={item} lastKnown={lastKnown} />
      ) : (
        <>
          <ClockIcon className="size-5 shrink-0 text-amber" />
          <span className="min-w-0 grow font-medium">{t('strip.several', { count: total })}</span>
        </>
      )}
    </button>
  );
}

function ItemLine({ item, lastKnown }: { item: PendingItem; lastKnown: string | undefined }) {
  const dimmed = lastKnown === undefined ? '' : 'opacity-60';
  return (
    <>
      <ClockIcon className={`size-5 shrink-0 text-amber ${dimmed}`} />
      <span className="strip-words flex min-w-0 grow items-center gap-x-3">
        <span className={`min-w-0 grow py-1 leading-tight font-medium ${dimmed}`}>
          <ItemText item={item} />
        </span>
        <span className="shrink-0 text-xs text-muted">
          <ItemTime item={item} lastKnown={lastKnown} />
        </span>
      </span>
    </>
  );
}

const looks = {
  good: { box: 'bg-jade-deep ring-jade/60', icon: 'text-jade', Icon: CheckIcon },
  bad: { box: 'bg-coral-deep ring-coral/60', icon: 'text-coral', Icon: WarningIcon },
};

/**
 * A success disappears after some seconds; a failure links to its timeline and stays until dismissed. After a deposit
 * one press plays the last game.
 */
function EndedStrip({ ended, onDismiss }: { ended: Ended; onDismiss: () => void }) {
  const { t } = useTranslation('common');
  const { box, icon, Icon } = looks[ended.tone];
  const again = usePlayAgain();
  const isMoneyIn = ended.tone === 'good' && outcomeKind(ended.item.kind) === 'deposit';
  return (
    <div role="status" data-end={ended.tone} className={`${BOX} ${box}`}>
      <button
        type="button"
        onClick={() => {
          onDismiss();
          void openMoney(ended.key);
        }}
        className="flex min-h-11 min-w-0 grow items-center gap-3 text-left"
      >
        <Icon className={`size-5 shrink-0 ${icon}`} />
        <span className="min-w-0 grow py-1 leading-tight font-medium">
          <EndedText ended={ended} />
        </span>
      </button>
      {isMoneyIn && again && (
        <button
          type="button"
          aria-label={again.label}
          onClick={() => {
            onDismiss();
            again.play();
          }}
          className="flex min-h-11 max-w-40 min-w-11 shrink-0 items-center gap-1 rounded-md bg-lacquer px-3 font-semibold text-on-lacquer narrow:max-w-28 hover:bg-lacquer-lit"
        >
          <PlayIcon className="size-4 shrink-0" />
          <span className="truncate">{again.name}</span>
        </button>
      )}
      <button type="button" aria-label={t('close')} onClick={onDismiss} className={BOX_BUTTON}>
        <CloseIcon className="size-5" />
      </button>
    </div>
  );
}
