import { isSeedOf } from '@krapao/contract/fair-draw';
import { useMutation } from '@tanstack/react-query';
import { useState, type SubmitEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { call } from '../../../api/call.ts';
import { invalidate } from '../../../api/query.ts';
import { Button } from '../../../ui/button.tsx';
import { FormFailure } from '../../../ui/form/form-failure.tsx';
import { TextInput } from '../../../ui/form/text-input.tsx';
import { browserHashing, canHash } from './hashing.ts';
import { Proof } from './proof.tsx';
import { spinErrorText } from '../use-spin.ts';
import type { WheelReply } from '../wheel/use-wheel.ts';

const SEED_CHARACTERS_MAX = 32;
/** What the server takes: letters, digits and signs that every keyboard has. */
const SEED = /^[\x20-\x7e]{1,32}$/;

/** The member's own seed. With a new one the server's old seed is revealed, and is checked here against what was shown. */
export function SeedForm({ fairness }: { fairness: WheelReply['fairness'] }) {
  const { t } = useTranslation('fairness');
  const [typed, setTyped] = useState<string>();
  const [isWrong, setWrong] = useState(false);
  const seed = typed ?? fairness.clientSeed;
  const rotate = useMutation({
    mutationFn: async (clientSeed: string) => {
      const answer = await call('POST /api/spinwheel/seed', { body: { clientSeed }, quiet: true });
      const isRevealed = canHash() && (await isSeedOf(answer.revealed.serverSeed, fairness.commitment, browserHashing));
      return { ...answer, isRevealed, isNext: answer.fairness.commitment === fairness.nextCommitment };
    },
    onSuccess: () => {
      setTyped(undefined);
      return invalidate('spinwheel');
    },
    // Whether it was rotated is not known then: what is committed to now is asked for.
    onError: () => invalidate('spinwheel'),
  });
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    if (rotate.isPending) return;
    setWrong(!SEED.test(seed));
    if (SEED.test(seed)) rotate.mutate(seed);
  };
  const done = rotate.data;
  return (
    <form onSubmit={submit} noValidate className="grid gap-3">
      <TextInput
        label={t('clientSeed')}
        hint={t('clientSeedHint')}
        error={isWrong ? t('clientSeedWrong') : undefined}
        value={seed}
        maxLength={SEED_CHARACTERS_MAX}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        onChange={({ target }) => {
          setTyped(target.value);
          setWrong(false);
        }}
      />
      <Button type="submit" variant="quiet" busy={rotate.isPending && t('rotating')}>
        {t('rotate')}
      </Button>
      <FormFailure text={rotate.isError ? spinErrorText(rotate.error) : undefined} />
      {done && (
        <div role="status" className="grid gap-2 rounded-md bg-raised px-4 py-3 text-sm">
          <p className="font-semibold">{t('revealed')}</p>
          <p className="font-mono text-xs break-all text-muted">{done.revealed.serverSeed}</p>
          {canHash() && <Proof isTrue={done.isRevealed} yes={t('seedFits')} no={t('seedDiffers')} />}
          <Proof isTrue={done.isNext} yes={t('nextKept')} no={t('nextBroken')} />
        </div>
      )}
    </form>
  );
}
