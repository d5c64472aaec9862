import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { call } from '../../api/call.ts';
import { invalidate } from '../../api/query.ts';
import type { GameAccount } from '../../shared/wallet/use-wallet.ts';
import { Button } from '../../ui/button.tsx';
import { ModalActions } from '../../ui/overlay/modal.tsx';
import { noteCredentials, refetchCredentials } from './credentials.ts';

/** Opens the account. A failure says nothing: what to do then stands there from the beginning. */
export function OpenAccount({ game, onOpened }: { game: GameAccount; onOpened: () => void }) {
  const { t } = useTranslation('game');
  const open = useMutation({
    mutationFn: () => call('GET /api/wallet/activate/{slotCode}', { params: { slotCode: game.code } }),
    onSuccess: (made) => {
      noteCredentials(game.code, made);
      void refetchCredentials(game.code).catch(() => undefined);
      onOpened();
    },
    onSettled: () => invalidate('wallet'),
  });
  return (
    <div className="grid gap-2">
      <h3 className="text-lg font-semibold">{t('openTitle', { name: game.name })}</h3>
      <p className="text-sm text-muted">{t('openText')}</p>
      <p className="text-sm text-faint">{t('openAgain')}</p>
      <ModalActions>
        <Button variant="gold" wide busy={open.isPending && t('opening')} onClick={() => open.mutate()}>
          {t('open')}
        </Button>
      </ModalActions>
    </div>
  );
}
