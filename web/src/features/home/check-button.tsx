import { useTranslation } from 'react-i18next';
import { Button } from '../../ui/button.tsx';
import { RefreshIcon } from '../../ui/icons/member-icons.tsx';
import { Spinner } from '../../ui/state/spinner.tsx';

/** Where there is no room for it, the words say enough. */
export const PLAQUE_ICON = 'hidden size-5 @min-[17rem]:block';

/** Asks all games for their balances. Both words hold the room, so that nothing moves when one takes the other's place. */
export function CheckButton({ isChecking, onCheck }: { isChecking: boolean; onCheck: () => void }) {
  const { t } = useTranslation('home');
  return (
    <Button
      variant="quiet"
      size="sm"
      icon={isChecking ? <Spinner className={PLAQUE_ICON} /> : <RefreshIcon className={PLAQUE_ICON} />}
      aria-busy={isChecking || undefined}
      aria-disabled={isChecking || undefined}
      onClick={isChecking ? undefined : onCheck}
      className="px-2!"
    >
      <span className="grid text-left *:col-start-1 *:row-start-1">
        <span className={isChecking ? 'invisible' : ''}>{t('checkBalance')}</span>
        <span className={isChecking ? '' : 'invisible'}>{t('checking')}</span>
      </span>
    </Button>
  );
}
