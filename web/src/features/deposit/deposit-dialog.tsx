import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { useWallet } from '../../member/wallet.ts';
import { prefetch } from '../../routing/router.ts';
import { useState, type ReactElement } from 'react';
import { invalidate, apiQuery } from '../../api/query/query.ts';
import { Modal, useIsWide } from '../../ui/modal.tsx';
import { DepositReceived, useDepositReceived } from './deposit-received.tsx';
import { useQueries, useQuery } from '@tanstack/react-query';
import { useBack } from '../../ui/core/overlay-stack.ts';
import { Button } from '../../ui/core/button.tsx';
import { EmptyState } from '../../ui/data/empty-state.tsx';
import {
  lastMethod,
  rememberMethod,
  groupMethods,
  SLIP_METHOD,
  type DepositMethod,
  type MethodGroup,
} from './methods.ts';
import { ListSkeleton } from './panel-parts.tsx';
import { qrQuery } from './qrcode/use-qr-deposit.ts';
import { MethodList } from './method-list.tsx';
import { type PanelProps, MethodPanel } from './method-panel.tsx';

const BONUS_PAGE = '/user/bonus';

/** Warns that an open condition also locks a new deposit; links to the bonus page. */
export function LockedNote({ onLeave }: { onLeave: () => void }) {
  const { t } = useTranslation('deposit');
  const [condition] = useWallet().data?.conditions ?? [];
  if (!condition) return null;
  return (
    <div className="mb-3 rounded-md bg-amber-deep px-4 py-2 text-sm text-amber">
      <p>{t('locked', { name: condition.name })}</p>
      <Link
        href={BONUS_PAGE}
        onClick={onLeave}
        onPointerEnter={() => prefetch(BONUS_PAGE)}
        onFocus={() => prefetch(BONUS_PAGE)}
        className="inline-flex min-h-11 items-center font-semibold underline underline-offset-4"
      >
        {t('seeCondition')}
      </Link>
    </div>
  );
}

export type DepositDialogProps = {
  /** Shows the gateway of this QR code first, if the code is unpaid. */
  qrcodeId?: string | undefined;
  onClose: () => void;
  /** Opens the list of uploaded slips. */
  onSlips: () => void;
};

/** The operator's deposit methods; after a deposit, its amount and the new balance. */
export function DepositDialog({ qrcodeId, onClose, onSlips }: DepositDialogProps) {
  const { t } = useTranslation('deposit');
  const [receivedAmount, setReceivedAmount] = useState<number>();
  useDepositReceived(setReceivedAmount);
  const depositAgain = (): void => {
    setReceivedAmount(undefined);
    // The deposit event can precede the paid state of its QR code. Refetching prevents a paid code from being shown
    // again.
    void invalidate('qrcode');
  };
  return (
    <Modal open onClose={onClose} title={t('title')} size="lg">
      {receivedAmount !== undefined && (
        <DepositReceived amount={receivedAmount} onDepositAgain={depositAgain} onClose={onClose} />
      )}
      {/* Stays mounted while the received deposit is shown, because a slip may still be uploading. */}
      <div hidden={receivedAmount !== undefined}>
        <MethodPicker qrcodeId={qrcodeId} onClose={onClose} onSlips={onSlips} onArrived={setReceivedAmount} />
      </div>
    </Modal>
  );
}

/** Refetch interval of the deposit methods in ms while the dialog is open: an account may be closed. */
const METHODS_REFETCH_MS = 60_000;

type PickerProps = PanelProps & Pick<DepositDialogProps, 'qrcodeId'>;

/** Deposit methods for the member's currency, loaded at each opening; shows an empty state if there are none. */
export function MethodPicker(props: PickerProps) {
  const { t } = useTranslation(['deposit', 'common']);
  const { data, isError, refetch } = useQuery({
    ...apiQuery('GET /api/lookup/deposit', { quiet: true }),
    staleTime: 0,
    refetchInterval: METHODS_REFETCH_MS,
  });
  const wallet = useWallet();
  const currency = wallet.data?.profile.currency;
  const groups = data && currency ? groupMethods(data, currency) : undefined;
  const reload = (): void => {
    if (!wallet.data) void wallet.refetch();
    void refetch();
  };
  const reloadButton = (
    <Button variant="quiet" size="sm" onClick={reload}>
      {t('common:retry')}
    </Button>
  );
  // After a failed load, offers a retry instead of an empty list.
  if ((isError && !data) || (wallet.isError && !wallet.data))
    return <div className="grid min-h-40 place-items-center">{reloadButton}</div>;
  if (groups?.length === 0) return <EmptyState title={t('empty')} text={t('emptyHint')} action={reloadButton} />;
  return groups ? <MethodPanes groups={groups} {...props} /> : <ListSkeleton />;
}

type UnpaidQrs = {
  isLoading: boolean;
  liveIds: ReadonlySet<string>;
  /** The method of the requested code, else the first one with an unpaid code. */
  shownFirst: DepositMethod | undefined;
};

/** QR methods with an unpaid code. Queries all gateways, and again after a code is created. */
function useUnpaidQrs(methods: readonly DepositMethod[], qrcodeId: string | undefined): UnpaidQrs {
  const qrMethods = methods.filter((method) => method.kind === 'qr');
  const qrQueries = useQueries({ queries: qrMethods.map(({ account }) => qrQuery(account.bankCode)) });
  const liveIds = qrMethods.filter((_, index) => qrQueries[index]?.data?.hasQrcode).map(({ id }) => id);
  const requested = qrMethods.find((_, index) => qrcodeId && qrQueries[index]?.data?.qrcodeId === qrcodeId);
  return {
    isLoading: qrQueries.some((query) => query.isLoading),
    liveIds: new Set(liveIds),
    shownFirst: requested ?? qrMethods.find(({ id }) => liveIds.includes(id)),
  };
}

/** The displayed method: the only one, or the chosen one. With two panes, else the first one. */
function displayedMethodOf(
  methods: readonly DepositMethod[],
  chosenId: string | null | undefined,
  isWide: boolean,
): DepositMethod | undefined {
  if (methods.length === 1) return methods[0];
  return methods.find(({ id }) => id === chosenId) ?? (isWide ? methods[0] : undefined);
}

/** A requested code decides the method, else the last choice. */
const initialMethod = (qrcodeId: string | undefined): string | undefined => (qrcodeId ? undefined : lastMethod());

/** Method list and panel: side by side if both fit, else one at a time. */
function MethodPanes({ groups, qrcodeId, ...props }: PickerProps & { groups: readonly MethodGroup[] }) {
  const methods = groups.flatMap((group) => group.methods);
  const { isLoading, liveIds, shownFirst } = useUnpaidQrs(methods, qrcodeId);
  // undefined: nothing chosen yet · null: the member has returned to the list
  const [chosenId, setChosenId] = useState<string | null | undefined>(() => initialMethod(qrcodeId));
  const [lastOpenedId, setLastOpenedId] = useState<string>();
  const [takesFocus, setTakesFocus] = useState(false);
  const isWide = useIsWide();
  const methodWithQr = chosenId === undefined ? shownFirst : undefined;
  const method = displayedMethodOf(methods, methodWithQr?.id ?? chosenId, isWide);
  // A method that was opened automatically stays open when its code expires or the screen is rotated.
  if (!chosenId && method && (methodWithQr || !isLoading)) setChosenId(method.id);
  const chooseMethod = (id: string, focusPanel = false): void => {
    rememberMethod(id);
    setChosenId(id);
    setTakesFocus(focusPanel);
  };
  const goBack = (): void => {
    setLastOpenedId(method?.id);
    setChosenId(null);
  };
  const onBack = method && !isWide && methods.length > 1 ? goBack : undefined;
  useBack(onBack);
  if (isLoading && chosenId === undefined) return <ListSkeleton />;
  const panel = method && (
    <MethodPanel
      key={method.id}
      method={method}
      onBack={onBack}
      takesFocus={takesFocus}
      onSlip={() => chooseMethod(SLIP_METHOD, true)}
      {...props}
    />
  );
  const list = (
    <MethodList
      groups={groups}
      liveIds={liveIds}
      selected={method?.id}
      focusedId={lastOpenedId}
      onChoose={(id) => chooseMethod(id)}
    />
  );
  return (
    <PanesLayout
      isSideBySide={isWide && methods.length > 1}
      list={list}
      panel={panel}
      lockedNote={<LockedNote onLeave={props.onClose} />}
    />
  );
}

type PanesLayoutProps = {
  isSideBySide: boolean;
  list: ReactElement;
  panel: ReactElement | undefined;
  /** Note above the panel, or above the list if there is no panel. */
  lockedNote: ReactElement;
};

/** Both layouts render the same tree, so that rotating the screen keeps the panel mounted with its input. */
function PanesLayout({ isSideBySide, list, panel, lockedNote }: PanesLayoutProps) {
  return (
    <div
      className={
        isSideBySide
          ? '-mx-5 -my-4 grid h-[min(42rem,calc(100dvh-8rem))] grid-cols-[17rem_minmax(0,1fr)] low:h-[calc(100dvh-3.875rem)] low:grid-cols-[14rem_minmax(0,1fr)]'
          : 'contents'
      }
    >
      {(isSideBySide || !panel) && (
        <div
          className={isSideBySide ? 'overflow-y-auto rounded-bl-lg border-r border-line bg-well/60 p-3' : 'contents'}
        >
          {!panel && lockedNote}
          {list}
        </div>
      )}
      <div className={isSideBySide ? 'flex flex-col overflow-y-auto px-5 py-4' : 'contents'}>
        {panel && lockedNote}
        {panel}
      </div>
    </div>
  );
}
