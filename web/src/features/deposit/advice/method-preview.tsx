import { useTranslation } from 'react-i18next';
import { useCurrency } from '../../../member/use-currency.ts';
import { MethodTime } from '../../../shared/time-and-fee.tsx';
import { BankPanel, WalletPanel } from '../bank-transfer/bank-panel.tsx';
import { MethodIcon } from '../method-list.tsx';
import { type PanelProps, MethodTitle } from '../method-panel.tsx';
import type { DepositMethod } from '../methods.ts';
import { BulletList, PanelSkeleton } from '../panel-parts.tsx';
import { useAmountRange, useMayAddText } from '../qrcode/qr-panel.tsx';
import { usePayText } from './advice-card.tsx';
import type { Advice } from './use-advice.ts';

export type MethodPreviewProps = Pick<PanelProps, 'onArrived'> & {
  methods: readonly DepositMethod[];
  advice: Advice;
  onSlip: () => void;
};

/** The recommended method, else the first, beside the question: what follows its button, without another form. */
export function MethodPreview({ methods, advice, onSlip, onArrived }: MethodPreviewProps) {
  const method = advice.recommendation && (advice.method ?? methods[0]);
  if (!method) return <PanelSkeleton />;
  return (
    <MethodTime value={advice.usualOf(method)}>
      <MethodTitle method={method} className="mb-4 short:mb-2" />
      {method.kind === 'qr' && <QrPreview account={method.account} amount={advice.amount} />}
      {method.kind === 'bank' && (
        <BankPanel account={method.account} takesSlips={method.takesSlips} advice={advice} isPreview onSlip={onSlip} />
      )}
      {method.kind === 'wallet' && <WalletPanel wallet={method.wallet} amount={advice.amount} onArrived={onArrived} />}
    </MethodTime>
  );
}

type QrPreviewProps = { account: Extract<DepositMethod, { kind: 'qr' }>['account']; amount: number | undefined };

function QrPreview({ account, amount }: QrPreviewProps) {
  const { t } = useTranslation('deposit');
  const money = useCurrency();
  const range = useAmountRange(account);
  const mayAddText = useMayAddText();
  return (
    <div className="grid gap-4">
      <p className="rounded-md bg-well px-4 py-3 ring-1 ring-line">
        {amount === undefined ? (
          <span className="text-muted">{t('advice.amountFirst')}</span>
        ) : (
          <span className="amount text-2xl font-bold text-gold-lit">{money.format(amount)}</span>
        )}
      </p>
      <BulletList items={[range.text, mayAddText(account), t('lead'), t('onceOnly')]} />
    </div>
  );
}

export type BackToQuestionProps = {
  /** The recommended method; undefined without one. */
  method: DepositMethod | undefined;
  amount: number | undefined;
  onOpen: () => void;
};

/** Leads from the form of a method back to the question. */
export function BackToQuestion({ method, amount, onOpen }: BackToQuestionProps) {
  const { t } = useTranslation('deposit');
  return (
    <div className="mb-4 border-b border-line pb-3">
      <p className="mb-1 px-2 text-sm font-medium text-faint">{t('advice.recommended')}</p>
      <button
        type="button"
        onClick={onOpen}
        className="flex min-h-12 w-full items-center gap-3 rounded-md px-3 py-1 text-left font-medium transition-colors hover:bg-line"
      >
        {method && <MethodIcon method={method} className="size-10" />}
        {method ? <PayText method={method} amount={amount} /> : t('advice.howMuch')}
      </button>
    </div>
  );
}

function PayText({ method, amount }: { method: DepositMethod; amount: number | undefined }) {
  return <span className="min-w-0">{usePayText(method, amount)}</span>;
}
