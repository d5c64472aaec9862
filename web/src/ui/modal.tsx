import {
  useEffectEvent,
  useId,
  useLayoutEffect,
  useRef,
  type PointerEvent,
  type ReactNode,
  type RefObject,
  useState,
} from 'react';
import { createPortal } from 'react-dom';
import { useTranslation } from 'react-i18next';
import { useBack, useInModalStack } from './core/overlay-stack.ts';
import { IconButton } from './core/icon-button.tsx';
import { CloseIcon } from './core/icons.tsx';
import { OfflineWords } from './core/offline-banner.tsx';
import { ToastRegion } from './core/toast.tsx';

export type ModalProps = {
  /** Children are mounted only while open: their state resets each time. */
  open: boolean;
  /**
   * Called on Escape, Back, the close button, the backdrop, or dragging down. If omitted, only `children` can close it.
   */
  onClose?: (() => void) | undefined;
  title: string;
  /** Actions that stay visible at the bottom while the content scrolls. */
  footer?: ReactNode;
  /** `md` 30 rem (default), `lg` 44 rem for tables and carousels. Full width on phones. */
  size?: 'md' | 'lg';
  children: ReactNode;
};

const ACTIONS =
  'flex flex-col gap-2 px-5 pt-3 pb-[max(0.75rem,env(safe-area-inset-bottom))] short:pt-2 short:pb-[max(0.5rem,env(safe-area-inset-bottom))]';
const ROW = 'sm:flex-row sm:*:flex-1 short:flex-row short:*:flex-1';

/**
 * A sheet on phones, a dialog on wider screens. The native modal dialog traps and restores focus, and Escape closes the
 * topmost. The page behind does not scroll.
 */
export function Modal({ open, ...rest }: ModalProps) {
  return open ? createPortal(<OpenModal {...rest} />, document.body) : null;
}

function useNativeDialog(onClose: (() => void) | undefined) {
  const dialog = useRef<HTMLDialogElement>(null);
  const title = useRef<HTMLHeadingElement>(null);
  const close = useEffectEvent(() => onClose?.());
  const isFixed = useEffectEvent(() => onClose === undefined);
  useLayoutEffect(() => {
    const element = dialog.current;
    if (!element) return;
    const onCancel = (event: Event): void => {
      if (event.target !== element) return;
      event.preventDefault();
      close();
    };
    // Browsers close a dialog on a second Escape regardless of `preventDefault`: then it is closed here too, or
    // reopened.
    const onNativeClose = (event: Event): void => {
      if (event.target !== element || element.open || !element.isConnected) return;
      if (isFixed()) element.showModal();
      else close();
    };
    element.addEventListener('cancel', onCancel);
    element.addEventListener('close', onNativeClose);
    element.showModal();
    // Focus starts at the title: the first field would open the keyboard, and the close button would be read first.
    (element.querySelector<HTMLElement>('[data-autofocus]') ?? title.current)?.focus({ preventScroll: true });
    return () => {
      element.removeEventListener('cancel', onCancel);
      element.removeEventListener('close', onNativeClose);
      element.close();
    };
  }, []);
  return { dialog, title };
}

const stay = (): void => undefined;

function OpenModal({ onClose, title, footer, size = 'md', children }: Omit<ModalProps, 'open'>) {
  const { t } = useTranslation('common');
  const id = useId();
  const panel = useRef<HTMLDivElement>(null);
  const { dialog, title: heading } = useNativeDialog(onClose);
  const drag = useSheetDrag(panel, onClose);
  useInModalStack(id);
  // Back does not close a dialog without `onClose`.
  useBack(onClose ?? stay);
  const onGround = (event: PointerEvent): void => {
    if (event.target === event.currentTarget) onClose?.();
  };
  // Clipped, not scrollable: focus would otherwise scroll to the sheet during its animation and shift it.
  return (
    <dialog
      ref={dialog}
      aria-labelledby={`${id}title`}
      onPointerDown={onGround}
      className="m-0 flex h-dvh max-h-none w-full max-w-none animate-fade flex-col justify-end overflow-clip bg-transparent text-ivory backdrop:bg-well/80 sm:items-center sm:justify-center sm:p-6 low:p-2"
    >
      {/* The sheet reserves space for it; a dialog has free space around it. */}
      <OfflineWords className="mb-auto w-full shrink-0 sm:absolute sm:inset-x-0 sm:top-0" />
      <div
        ref={panel}
        className={`flex max-h-[92dvh] min-h-0 w-full animate-sheet short:max-h-[98dvh] low:max-h-full flex-col rounded-t-sheet bg-panel shadow-sheet ring-1 ring-line sm:animate-rise sm:rounded-lg ${size === 'lg' ? 'sm:max-w-[44rem]' : 'sm:max-w-[30rem]'}`}
      >
        <header {...drag} className="shrink-0 touch-none sm:touch-auto">
          <span className="mx-auto mt-2 block h-1 w-10 rounded-full bg-edge sm:hidden low:hidden" />
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
        {footer && <footer className={`shrink-0 border-t border-line ${ACTIONS} ${ROW}`}>{footer}</footer>}
      </div>
    </dialog>
  );
}

/** Scrollable content between title and footer, also by keys if nothing inside is focusable. */
function ModalBody({ titleId, children }: { titleId: string; children: ReactNode }) {
  const { body, content, isFocusable } = useFocusableScroll();
  const focusable = isFocusable ? ({ tabIndex: 0, role: 'group', 'aria-labelledby': titleId } as const) : {};
  return (
    <div
      ref={body}
      {...focusable}
      className="min-h-0 grow scroll-pt-10 scroll-pb-24 overflow-y-auto overscroll-contain px-5 py-4 -outline-offset-2"
    >
      <div ref={content}>{children}</div>
    </div>
  );
}

export type ModalActionsProps = {
  children: ReactNode;
  /** `row` (default): side by side on wide or low screens. */
  direction?: 'row' | 'column';
  className?: string;
};

/** Actions of changing content: at its end, and sticky while the rest scrolls. */
export function ModalActions({ children, direction = 'row', className = '' }: ModalActionsProps) {
  const row = direction === 'row' ? ROW : '';
  return (
    <div
      className={`sticky -bottom-4 z-10 -mx-5 mt-5 -mb-4 border-t border-line bg-panel sm:rounded-b-lg short:mt-3 ${ACTIONS} ${row} ${className}`}
    >
      {children}
    </div>
  );
}

/** A sheet released this far down, or moving this fast, closes. */
const CLOSE_PX = 110;
const CLOSE_PX_PER_MS = 0.6;

/** Offsets a panel by pixels, with or without a transition; `undefined` resets it. */
function offsetPanel(panel: HTMLElement | null, to: number | undefined, glide: boolean): void {
  if (!panel) return;
  panel.style.transition = glide ? 'transform 200ms var(--ease-settle)' : 'none';
  panel.style.transform = to === undefined ? '' : `translateY(${to}px)`;
}

/** Drag handlers that close a sheet when dragged down. Moves the panel directly: no render while dragging. */
export function useSheetDrag(panel: RefObject<HTMLElement | null>, onClose: (() => void) | undefined) {
  const start = useRef<{ y: number; at: number } | undefined>(undefined);
  const onPointerDown = (event: PointerEvent<HTMLElement>): void => {
    const isSheet = matchMedia('(width < 40rem)').matches;
    if (!onClose || !isSheet || (event.target as Element).closest('button, a, input')) return;
    start.current = { y: event.clientY, at: event.timeStamp };
    event.currentTarget.setPointerCapture(event.pointerId);
  };
  const onPointerMove = (event: PointerEvent<HTMLElement>): void => {
    if (start.current) offsetPanel(panel.current, Math.max(0, event.clientY - start.current.y), false);
  };
  const onPointerUp = (event: PointerEvent<HTMLElement>): void => {
    if (!start.current) return;
    const distance = event.clientY - start.current.y;
    const speed = distance / Math.max(1, event.timeStamp - start.current.at);
    start.current = undefined;
    if (distance > CLOSE_PX || (distance > 24 && speed > CLOSE_PX_PER_MS)) onClose?.();
    else offsetPanel(panel.current, undefined, true);
  };
  const onPointerCancel = (): void => {
    start.current = undefined;
    offsetPanel(panel.current, undefined, true);
  };
  return { onPointerDown, onPointerMove, onPointerUp, onPointerCancel };
}

const FOCUSABLE = 'a[href], button:enabled, input:enabled, select:enabled, textarea:enabled, summary, [tabindex="0"]';

/** Whether a box must be focusable to be scrolled by keys: it overflows and contains nothing focusable. */
export function useFocusableScroll() {
  const body = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const [isFocusable, setFocusable] = useState(false);
  useLayoutEffect(() => {
    const [outer, inner] = [body.current, content.current];
    if (!outer || !inner) return undefined;
    const look = (): void =>
      setFocusable(outer.scrollHeight > outer.clientHeight && inner.querySelector(FOCUSABLE) === null);
    const observer = new ResizeObserver(look);
    observer.observe(outer);
    observer.observe(inner);
    return () => observer.disconnect();
  }, []);
  return { body, content, isFocusable };
}
