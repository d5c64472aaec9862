import { type Tutorial, tutorials } from '@krapao/contract/constants';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { currentLanguage } from '../../i18n/i18n.ts';
import { PlayIcon } from '../../ui/icons/member-icons.tsx';
import { tutorialFile } from './tutorial-file.ts';
import { TutorialModal } from './tutorial-modal.tsx';
import { useTutorialWords } from './tutorial-words.ts';
import { DialogBoundary } from '../../shared/errors/dialog-boundary.tsx';

/** How the app is used, shown by short videos of it. */
export function HowtoPage() {
  const { t } = useTranslation('howto');
  const [open, setOpen] = useState<Tutorial>();
  return (
    <div className="mx-auto max-w-xl">
      <h1 className="text-2xl font-bold">{t('heading')}</h1>
      <p className="mb-5 text-muted">{t('lead')}</p>
      {/* oxlint-disable-next-line jsx-a11y/no-redundant-roles -- to some screen readers a list without marks is none */}
      <ul role="list" className="grid gap-3">
        {tutorials.map((name) => (
          <li key={name}>
            <TutorialCard name={name} onOpen={() => setOpen(name)} />
          </li>
        ))}
      </ul>
      {open && (
        <DialogBoundary part={`dialog ${open}`} onClose={() => setOpen(undefined)}>
          <TutorialModal name={open} onClose={() => setOpen(undefined)} />
        </DialogBoundary>
      )}
    </div>
  );
}

function TutorialCard({ name, onOpen }: { name: Tutorial; onOpen: () => void }) {
  const { title, about, length } = useTutorialWords(name);
  return (
    <button
      type="button"
      aria-haspopup="dialog"
      onClick={onOpen}
      className="group grid w-full grid-cols-[7rem_minmax(0,1fr)] grid-rows-[1fr_auto_1fr] gap-x-4 overflow-hidden rounded-lg bg-panel pr-4 text-left shadow-low ring-1 ring-line transition-transform active:translate-y-px narrow:grid-cols-[minmax(0,1fr)] narrow:grid-rows-none narrow:pr-0"
    >
      <span className="relative row-span-3 min-h-32 bg-raised narrow:row-span-1">
        <img
          src={tutorialFile(name, currentLanguage(), 'jpg')}
          alt=""
          width="390"
          height="844"
          loading="lazy"
          className="absolute inset-0 size-full object-cover object-[50%_55%]"
        />
        <span className="absolute inset-0 m-auto flex size-11 items-center justify-center rounded-full bg-well/80 text-gold-lit ring-1 ring-gold/60 group-hover:bg-lacquer group-hover:text-ivory">
          <PlayIcon className="size-5" />
        </span>
      </span>
      <span className="self-end pt-3 text-lg font-semibold narrow:px-4">{title}</span>
      <span className="text-sm text-muted narrow:px-4">{about}</span>
      <span className="pb-3 text-sm text-gold-lit narrow:px-4">{length}</span>
    </button>
  );
}
