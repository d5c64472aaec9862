import {
  useCallback,
  useEffectEvent,
  useId,
  useLayoutEffect,
  useRef,
  type PointerEvent,
  type ReactNode,
  type RefObject,
  useState,
  useSyncExternalStore,
} from 'react';
import { createPortal } from 'react-dom';
import { useTranslation } from 'react-i18next';
import { IconButton } from './core/icon-button.tsx';
import { CloseIcon } from './core/icons.tsx';
import { OfflineText } from './core/offline-banner.tsx';
import { useBack, useInModalStack } from './core/overlay-stack.ts';
import { ToastRegion } from './core/toast.tsx';

export type ModalProps = {
  /** Children are mounted only while open, so each opening resets their state. */
  open: boolean;
  /**
   * Called on Escape, Back, the close button, a backdrop press, or dragging down. If omitted, only `children` can close
   * the modal.
   */
  onClose?: (() => void) | undefined;
  title: string;
  /** Actions that stay visible at the bottom while the content scrolls. */
  footer?: ReactNode;
  /** `md` 30 rem (default), `lg` 44 rem for tables and carousels. On phones every modal has full width. */
  size?: 'md' | 'lg';
  children: ReactNode;
};

const ACTIONS_CLASS =
  'flex flex-col gap-2 px-5 pt-3 pb-[max(0.75rem,env(safe-area-inset-bottom))] short:pt-2 short:pb-[max(0.5rem,env(safe-area-inset-bottom))]';
const ROW_CLASS = 'row-actions';

/**
 * A sheet on phones, a dialog on wider screens. The native dialog element traps and restores focus, and Escape closes
 * the topmost modal. The page behind does not scroll.
 */
export function Modal({ open, ...rest }: ModalProps) {
  return open ? createPortal(<OpenModal {...rest} />, document.body) : null;
}

function useNativeDialog(onClose: (() => void) | undefined) {
  const dialog = useRef<HTMLDialogElement>(null);
  const title = useRef<HTMLHeadingElement>(null);
  const callOnClose = useEffectEvent(() => onClose?.());
  const isNotClosable = useEffectEvent(() => onClose === undefined);
  useLayoutEffect(() => {
    const element = dialog.current;
    if (!element) return;
    const onCancel = (event: Event): void => {
      if (event.target !== element) return;
      event.preventDefault();
      callOnClose();
    };
    // Browsers close a dialog on a second Escape regardless of `preventDefault`: the handler then calls `onClose`, or
    // reopens a modal without `onClose`.
    const onNativeClose = (event: Event): void => {
      if (event.target !== element || element.open || !element.isConnected) return;
      if (isNotClosable()) element.showModal();
      else callOnClose();
    };
    element.addEventListener('cancel', onCancel);
    element.addEventListener('close', onNativeClose);
    element.showModal();
    // Initial focus is on the title: focusing a field would open the keyboard, and the close button would be announced
    // first.
    (element.querySelector<HTMLElement>('[data-autofocus]') ?? title.current)?.focus({ preventScroll: true });
    return () => {
      element.removeEventListener('cancel', onCancel);
      element.removeEventListener('close', onNativeClose);
      element.close();
    };
  }, []);
  return { dialog, title };
}

const doNothing = (): void => undefined;

function OpenModal({ onClose, title, footer, size = 'md', children }: Omit<ModalProps, 'open'>) {
  const { t } = useTranslation('common');
  const id = useId();
  const panel = useRef<HTMLDivElement>(null);
  const { dialog, title: heading } = useNativeDialog(onClose);
  const drag = useSheetDrag(panel, onClose);
  useInModalStack(id);
  // Without `onClose`, Back does not close the modal.
  useBack(onClose ?? doNothing);
  const onBackdropPress = (event: PointerEvent): void => {
    if (event.target === event.currentTarget) onClose?.();
  };
  // The panel clips its overflow: focus would scroll a scrollable sheet during its animation and shift it.
  return (
    <dialog
      ref={dialog}
      aria-labelledby={`${id}title`}
      onPointerDown={onBackdropPress}
      className="m-0 flex h-dvh max-h-none w-full max-w-none animate-fade flex-col justify-end overflow-clip bg-transparent text-ivory backdrop:bg-well/80 sm:items-center sm:justify-center sm:p-6 low:p-2"
    >
      {/* The sheet reserves space for the offline text; a dialog has free space around it. */}
      <OfflineText className="mb-auto w-full shrink-0 sm:absolute sm:inset-x-0 sm:top-0" />
      <div
        ref={panel}
        className={`flex max-h-[92dvh] min-h-0 w-full animate-sheet short:max-h-[98dvh] low:max-h-full flex-col rounded-t-sheet bg-panel shadow-sheet ring-1 ring-line sm:animate-rise sm:rounded-lg ${size === 'lg' ? 'sm:max-w-[44rem]' : 'sm:max-w-[30rem]'}`}
      >
        <header {...drag} className="shrink-0 touch-none sm:touch-auto">
          <span className="mx-auto mt-2 block h-1 w-10 rounded-full bg-edge sm:hidden" />
          <div className="flex items-center gap-2 border-b border-line py-1.5 pr-2 pl-5 short:py-0">
            <h2 ref={heading} id={`${id}title`} tabIndex={-1} className="min-w-0 grow text-lg font-semibold">
              {title}
            </h2>
            {onClose && (
              <IconButton label={t('close')} onClick={onClose}>
                <CloseIcon />
              </IconButton>
            )}
          </div>
        </header>
        <ToastRegion modal={id} />
        <ModalBody titleId={`${id}title`}>{children}</ModalBody>
        {footer && <footer className={`shrink-0 border-t border-line ${ACTIONS_CLASS} ${ROW_CLASS}`}>{footer}</footer>}
      </div>
    </dialog>
  );
}

/**
 * Scrollable content between title and footer. Focusable for keyboard scrolling if it contains no focusable element.
 */
function ModalBody({ titleId, children }: { titleId: string; children: ReactNode }) {
  const { body, content, isFocusable } = useFocusableScroll();
  const focusAttributes = isFocusable ? ({ tabIndex: 0, role: 'group', 'aria-labelledby': titleId } as const) : {};
  return (
    <div
      ref={body}
      {...focusAttributes}
      className="min-h-0 grow scroll-pt-10 scroll-pb-24 overflow-y-auto overscroll-contain px-5 py-4 -outline-offset-2"
    >
      <div ref={content}>{children}</div>
    </div>
  );
}

export type ModalActionsProps = {
  children: ReactNode;
  /** `row` (default): actions side by side on wide or low screens. */
  direction?: 'row' | 'column';
  className?: string;
};

/** Actions that belong to changing content: at its end, and sticky while the rest scrolls. */
export function ModalActions({ children, direction = 'row', className = '' }: ModalActionsProps) {
  const rowClass = direction === 'row' ? ROW_CLASS : '';
  return (
    <div
      className={`sticky -bottom-4 z-10 -mx-5 mt-5 -mb-4 border-t border-line bg-panel sm:rounded-b-lg short:mt-3 ${ACTIONS_CLASS} ${rowClass} ${className}`}
    >
      {children}
    </div>
  );
}

/** A sheet closes if it is released this far down or moving this fast. */
const CLOSE_DRAG_PX = 110;
const CLOSE_SPEED_PX_PER_MS = 0.6;

/** Offsets a panel by pixels, animated or not; `undefined` resets the offset. */
function offsetPanel(panel: HTMLElement | null, offsetPx: number | undefined, isAnimated: boolean): void {
  if (!panel) return;
  panel.style.transition = isAnimated ? 'transform 200ms var(--ease-settle)' : 'none';
  panel.style.transform = offsetPx === undefined ? '' : `translateY(${offsetPx}px)`;
}

/**
 * Pointer handlers that close a sheet when it is dragged down. They move the panel's element directly, without
 * rendering.
 */
export function useSheetDrag(panel: RefObject<HTMLElement | null>, onClose: (() => void) | undefined) {
  const dragStart = useRef<{ y: number; at: number } | undefined>(undefined);
  const onPointerDown = (event: PointerEvent<HTMLElement>): void => {
    const isSheet = matchMedia('(width < 40rem)').matches;
    if (!onClose || !isSheet || (event.target as Element).closest('button, a, input')) return;
    dragStart.current = { y: event.clientY, at: event.timeStamp };
    event.currentTarget.setPointerCapture(event.pointerId);
  };
  const onPointerMove = (event: PointerEvent<HTMLElement>): void => {
    if (dragStart.current) offsetPanel(panel.current, Math.max(0, event.clientY - dragStart.current.y), false);
  };
  const onPointerUp = (event: PointerEvent<HTMLElement>): void => {
    if (!dragStart.current) return;
    const draggedPx = event.clientY - dragStart.current.y;
    const speedPxPerMs = draggedPx / Math.max(1, event.timeStamp - dragStart.current.at);
    dragStart.current = undefined;
    if (draggedPx > CLOSE_DRAG_PX || (draggedPx > 24 && speedPxPerMs > CLOSE_SPEED_PX_PER_MS)) onClose?.();
    else offsetPanel(panel.current, undefined, true);
  };
  const onPointerCancel = (): void => {
    dragStart.current = undefined;
    offsetPanel(panel.current, undefined, true);
  };
  return { onPointerDown, onPointerMove, onPointerUp, onPointerCancel };
}

const FOCUSABLE_SELECTOR =
  'a[href], button:enabled, input:enabled, select:enabled, textarea:enabled, summary, [tabindex="0"]';

/** Whether a box must be focusable for keyboard scrolling: it overflows and contains no focusable element. */
export function useFocusableScroll() {
  const body = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const [isFocusable, setFocusable] = useState(false);
  useLayoutEffect(() => {
    const [scrollBox, contentBox] = [body.current, content.current];
    if (!scrollBox || !contentBox) return undefined;
    const updateFocusable = (): void =>
      setFocusable(
        scrollBox.scrollHeight > scrollBox.clientHeight && contentBox.querySelector(FOCUSABLE_SELECTOR) === null,
      );
    const observer = new ResizeObserver(updateFocusable);
    observer.observe(scrollBox);
    observer.observe(contentBox);
    return () => observer.disconnect();
  }, []);
  return { body, content, isFocusable };
}

/** Media query for a window that fits two panes side by side. */
const WIDE_QUERY = '(min-width: 48rem)';

/** Whether the window matches a media query. Not for prerendered pages, whose window is unknown. */
export function useWindowMatch(mediaQuery: string): boolean {
  const subscribe = useCallback(
    (listener: () => void): (() => void) => {
      const query = matchMedia(mediaQuery);
      query.addEventListener('change', listener);
      return () => query.removeEventListener('change', listener);
    },
    [mediaQuery],
  );
  return useSyncExternalStore(subscribe, () => matchMedia(mediaQuery).matches);
}

/** Whether the window fits two panes. Not for prerendered pages, whose window width is unknown. */
export const useIsWide = (): boolean => useWindowMatch(WIDE_QUERY);
