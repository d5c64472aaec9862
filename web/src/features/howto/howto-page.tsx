import { type Tutorial, tutorials } from '@krapao/contract/constants';
import { htmlLang } from '@krapao/contract/languages';
import { useState, useId, useLayoutEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { currentLanguage } from '../../i18n/i18n.ts';
import { DialogBoundary } from '../../shared/dialog-boundary.tsx';
import { ErrorState } from '../../ui/data/error-state.tsx';
import { PlayIcon } from '../../ui/data/member-icons.tsx';
import { Modal } from '../../ui/modal.tsx';
import { tutorialFile, useTutorialTexts } from './tutorials.ts';

/** Page with tutorials, each with a short video. */
export function HowtoPage() {
  const { t } = useTranslation('howto');
  const [openTutorial, setOpenTutorial] = useState<Tutorial>();
  return (
    <div className="mx-auto max-w-xl">
      <h1 className="text-2xl font-bold">{t('heading')}</h1>
      <p className="mb-5 text-muted">{t('lead')}</p>
      {/* oxlint-disable-next-line jsx-a11y/no-redundant-roles -- to some screen readers a list without marks is none */}
      <ul role="list" className="grid gap-3">
        {tutorials.map((name) => (
          <li key={name}>
            <TutorialCard name={name} onOpen={() => setOpenTutorial(name)} />
          </li>
        ))}
      </ul>
      {openTutorial && (
        <DialogBoundary sectionName={`dialog ${openTutorial}`} onClose={() => setOpenTutorial(undefined)}>
          <TutorialModal name={openTutorial} onClose={() => setOpenTutorial(undefined)} />
        </DialogBoundary>
      )}
    </div>
  );
}

function TutorialCard({ name, onOpen }: { name: Tutorial; onOpen: () => void }) {
  const { title, about, length } = useTutorialTexts(name);
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
        <span className="absolute inset-0 m-auto flex size-11 items-center justify-center rounded-full bg-well/80 text-gold-lit ring-1 ring-gold/60 group-hover:bg-lacquer group-hover:text-on-lacquer">
          <PlayIcon className="size-5" />
        </span>
      </span>
      <span className="self-end pt-3 text-lg font-semibold narrow:px-4">{title}</span>
      <span className="text-sm text-muted narrow:px-4">{about}</span>
      <span className="pb-3 text-sm text-gold-lit narrow:px-4">{length}</span>
    </button>
  );
}

/** One tutorial: its video, and its steps as text for members who can't watch it or save data. */
export function TutorialModal({ name, onClose }: { name: Tutorial; onClose: () => void }) {
  const { t } = useTranslation('howto');
  const id = useId();
  const { title, steps } = useTutorialTexts(name);
  return (
    <Modal open onClose={onClose} title={title} size="lg">
      <div className="grid gap-5 sm:grid-cols-[auto_minmax(0,1fr)] sm:gap-8">
        <div className="flex items-start justify-center sm:max-w-72">
          <TutorialVideo name={name} title={title} />
        </div>
        {/* Focusable, so that keys scroll the text; on the video, keys control playback. */}
        {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a part that is scrolled can be focused */}
        <section tabIndex={0} aria-labelledby={id}>
          <h3 id={id} className="mb-3 font-semibold text-gold-lit">
            {t('steps')}
          </h3>
          {/* oxlint-disable-next-line jsx-a11y/no-redundant-roles -- to some screen readers a list without marks is none */}
          <ol role="list" className="grid gap-3">
            {steps.map((step, i) => (
              <li key={step} className="grid grid-cols-[1.75rem_minmax(0,1fr)] gap-3">
                <span className="flex size-7 items-center justify-center rounded-full bg-raised text-sm font-semibold text-gold-lit ring-1 ring-gold/40">
                  {i + 1}
                </span>
                <span>{step}</span>
              </li>
            ))}
          </ol>
        </section>
      </div>
    </Modal>
  );
}

export type TutorialVideoProps = { name: Tutorial; title: string };

/** Video of a tutorial; after a load failure offers a retry. */
export function TutorialVideo({ name, title }: TutorialVideoProps) {
  const { t } = useTranslation('howto');
  const [hasFailed, setFailed] = useState(false);
  if (hasFailed)
    return <ErrorState title={t('failed')} reason={t('failedHint')} money={false} onRetry={() => setFailed(false)} />;
  return <TutorialPlayer name={name} title={title} onFailed={() => setFailed(true)} />;
}

/** Whether videos start automatically: not with reduced motion or reduced data. */
function playsAutomatically(): boolean {
  const { connection } = navigator as { connection?: { saveData?: boolean } };
  if (connection?.saveData) return false;
  return !['motion', 'data'].some((feature) => matchMedia(`(prefers-reduced-${feature}: reduce)`).matches);
}

function TutorialPlayer({ name, title, onFailed }: TutorialVideoProps & { onFailed: () => void }) {
  const { t } = useTranslation('howto');
  const video = useRef<HTMLVideoElement>(null);
  const language = currentLanguage();
  // Pauses a removed video, because it would keep playing.
  useLayoutEffect(() => {
    const element = video.current;
    return () => {
      if (!element) return;
      element.pause();
      element.currentTime = 0;
    };
  }, []);
  return (
    <video
      ref={video}
      src={tutorialFile(name, language, 'mp4')}
      poster={tutorialFile(name, language, 'jpg')}
      width="390"
      height="844"
      controls
      playsInline
      muted
      preload="none"
      autoPlay={playsAutomatically()}
      aria-label={title}
      onError={onFailed}
      className="h-[min(60dvh,40rem)] w-auto rounded-md bg-well ring-1 ring-line"
    >
      {/* Captions are off by default, because the video shows the same sentences. */}
      <track
        kind="captions"
        src={tutorialFile(name, language, 'vtt')}
        srcLang={htmlLang[language]}
        label={t('captions')}
      />
    </video>
  );
}
