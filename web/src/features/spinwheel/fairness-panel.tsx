import { type FairnessVerdict, verifySpin, isSeedOf } from '@krapao/contract/fair-draw';
import { useMutation } from '@tanstack/react-query';
import { useState, type SubmitEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { call } from '../../api/call.ts';
import { usePaged, invalidate } from '../../api/query/query.ts';
import type { Reply } from '../../api/types.ts';
import { formatDateTime } from '../../format/date.ts';
import { formatNumber } from '../../format/number.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Button } from '../../ui/core/button.tsx';
import { FormFailure } from '../../ui/core/field.tsx';
import { CheckIcon, WarningIcon } from '../../ui/core/icons.tsx';
import { TextInput } from '../../ui/core/text-input.tsx';
import { ErrorState } from '../../ui/data/error-state.tsx';
import { Pagination } from '../../ui/data/pagination.tsx';
import { Skeleton } from '../../ui/data/skeleton.tsx';
import { canHash, browserHashing } from './hashing.ts';
import { spinErrorText } from './use-spin.ts';
import type { WheelReply } from './use-wheel.ts';

/** The server's commitment to the next spin, the member's seed, and past spins. */
export function FairnessPanel({ wheel }: { wheel: WheelReply }) {
  const { t } = useTranslation('fairness');
  const { commitment, nextCommitment, nonce } = wheel.fairness;
  const { version, weightsHash } = wheel.activeSpinwheel;
  return (
    <div className="grid gap-5">
      <p className="text-sm text-muted">{t('how')}</p>
      {!canHash() && <p className="rounded-md bg-amber-deep px-4 py-3 text-sm text-amber">{t('insecure')}</p>}
      <dl className="grid gap-3">
        <HexValue name={t('commitment')} value={commitment} />
        <HexValue name={t('next')} value={nextCommitment} />
        <HexValue name={t('weights', { version })} value={weightsHash} />
        <div className="flex items-baseline justify-between gap-3">
          <dt className="text-sm text-muted">{t('nonce')}</dt>
          <dd className="amount font-semibold">{formatNumber(nonce, 0)}</dd>
        </div>
      </dl>
      <SeedForm fairness={wheel.fairness} />
      <PastSpins />
    </div>
  );
}

function HexValue({ name, value }: { name: string; value: string }) {
  const { t } = useTranslation('fairness');
  return (
    <div className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-2">
      <dt className="text-sm text-muted">{name}</dt>
      <dd className="row-span-2">
        <CopyButton compact text={value} label={t('copy', { name })} />
      </dd>
      <dd className="font-mono text-xs break-all">{value}</dd>
    </div>
  );
}

const SPINS_PER_PAGE = 5;

type PastSpin = Reply<'POST /api/spinwheel/spins'>['spins'][number];

/** Past spins, newest first; the browser can recalculate each of them. */
export function PastSpins() {
  const { t } = useTranslation('fairness');
  const spins = usePaged('POST /api/spinwheel/spins', { limit: SPINS_PER_PAGE, quiet: true });
  const { data } = spins;
  return (
    <section aria-labelledby="past-spins">
      <h3 id="past-spins" className="font-semibold">
        {t('past')}
      </h3>
      {spins.isPending && <Skeleton className="mt-2 h-40 w-full" />}
      {spins.isLoadingError && <ErrorState money={false} onRetry={spins.refetch} />}
      {data && data.total === 0 && <p className="mt-1 text-sm text-muted">{t('noPast')}</p>}
      {data && data.total > 0 && (
        <ul aria-label={t('past')} className={spins.isChangingPage ? 'opacity-60' : ''}>
          {data.spins.map((spin) => (
            <PastSpinRow key={`${spin.spinId} ${spin.serverSeed ?? ''}`} spin={spin} />
          ))}
        </ul>
      )}
      {spins.pager && <Pagination {...spins.pager} />}
    </section>
  );
}

function PastSpinRow({ spin }: { spin: PastSpin }) {
  const { t } = useTranslation('fairness');
  const { serverSeed, label, nonce, clientSeed, createdAt } = spin;
  const verify = useMutation({
    mutationFn: (seed: string) => verifySpin({ ...spin, serverSeed: seed }, browserHashing),
  });
  return (
    <li className="grid gap-2 border-b border-line py-3 last:border-b-0">
      <div className="flex items-center gap-3">
        <div className="min-w-0 grow">
          <p className="font-semibold">{label}</p>
          <p className="text-xs wrap-anywhere text-muted tabular-nums">
            {formatDateTime(createdAt)} · {t('spin', { nonce, seed: clientSeed })}
          </p>
        </div>
        {serverSeed !== null && canHash() && (
          <Button
            variant="quiet"
            size="sm"
            className="shrink-0 whitespace-nowrap"
            busy={verify.isPending && t('verifying')}
            onClick={() => verify.mutate(serverSeed)}
          >
            {t('verify')}
            <span className="sr-only"> · {label}</span>
          </Button>
        )}
      </div>
      {serverSeed === null && <p className="text-xs text-faint">{t('sealed')}</p>}
      {verify.data && <VerificationResult spin={spin} verdict={verify.data} />}
    </li>
  );
}

function VerificationResult({ spin, verdict }: { spin: PastSpin; verdict: FairnessVerdict }) {
  const { t } = useTranslation('fairness');
  return (
    <div role="status" className="grid gap-1.5 rounded-md bg-raised px-3 py-2">
      <VerificationBadge isTrue={verdict.isSeedCommitted} trueText={t('seedFits')} falseText={t('seedDiffers')} />
      <VerificationBadge
        isTrue={verdict.drawnCode === spin.code}
        trueText={t('drawFits', { label: spin.label })}
        falseText={t('drawDiffers', { code: verdict.drawnCode ?? '-' })}
      />
      <p className="font-mono text-xs break-all text-faint">{spin.commitment}</p>
    </div>
  );
}

const SEED_CHARACTERS_MAX = 32;
/** Seeds accepted by the server: printable ASCII. */
const VALID_SEED = /^[\x20-\x7e]{1,32}$/;

/**
 * Form for the member's own seed. A new seed reveals the server's previous seed, and the browser verifies that seed
 * against its commitment.
 */
export function SeedForm({ fairness }: { fairness: WheelReply['fairness'] }) {
  const { t } = useTranslation('fairness');
  const [typedSeed, setTypedSeed] = useState<string>();
  const [isSeedInvalid, setSeedInvalid] = useState(false);
  const seed = typedSeed ?? fairness.clientSeed;
  const seedRotation = useMutation({
    mutationFn: async (clientSeed: string) => {
      const reply = await call('POST /api/spinwheel/seed', { body: { clientSeed }, quiet: true });
      const isRevealed = canHash() && (await isSeedOf(reply.revealed.serverSeed, fairness.commitment, browserHashing));
      return { ...reply, isRevealed, isNext: reply.fairness.commitment === fairness.nextCommitment };
    },
    onSuccess: () => {
      setTypedSeed(undefined);
      return invalidate('spinwheel');
    },
    // The server may have rotated the seed: reloads the current commitment.
    onError: () => invalidate('spinwheel'),
  });
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    if (seedRotation.isPending) return;
    setSeedInvalid(!VALID_SEED.test(seed));
    if (VALID_SEED.test(seed)) seedRotation.mutate(seed);
  };
  const rotation = seedRotation.data;
  return (
    <form onSubmit={submit} noValidate className="grid gap-3">
      <TextInput
        label={t('clientSeed')}
        hint={t('clientSeedHint')}
        error={isSeedInvalid ? t('clientSeedWrong') : undefined}
        value={seed}
        maxLength={SEED_CHARACTERS_MAX}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        onChange={({ target }) => {
          setTypedSeed(target.value);
          setSeedInvalid(false);
        }}
      />
      <Button type="submit" variant="quiet" busy={seedRotation.isPending && t('rotating')}>
        {t('rotate')}
      </Button>
      <FormFailure text={seedRotation.isError ? spinErrorText(seedRotation.error) : undefined} />
      {rotation && (
        <div role="status" className="grid gap-2 rounded-md bg-raised px-4 py-3 text-sm">
          <p className="font-semibold">{t('revealed')}</p>
          <p className="font-mono text-xs break-all text-muted">{rotation.revealed.serverSeed}</p>
          {canHash() && (
            <VerificationBadge isTrue={rotation.isRevealed} trueText={t('seedFits')} falseText={t('seedDiffers')} />
          )}
          <VerificationBadge isTrue={rotation.isNext} trueText={t('nextKept')} falseText={t('nextBroken')} />
        </div>
      )}
    </form>
  );
}

/** Badge with the result of one verification. */
export function VerificationBadge({
  isTrue,
  trueText,
  falseText,
}: {
  isTrue: boolean;
  trueText: string;
  falseText: string;
}) {
  const Icon = isTrue ? CheckIcon : WarningIcon;
  return (
    <p className={`flex items-start gap-2 text-sm ${isTrue ? 'text-jade' : 'text-coral'}`}>
      <Icon className="mt-0.5 size-5 shrink-0" />
      <span>{isTrue ? trueText : falseText}</span>
    </p>
  );
}
