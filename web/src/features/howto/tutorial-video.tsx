import type { Tutorial } from '@krapao/contract/constants';
import { htmlLang } from '@krapao/contract/languages';
import { useLayoutEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { currentLanguage } from '../../i18n/i18n.ts';
import { ErrorState } from '../../ui/state/error-state.tsx';
import { tutorialFile } from './tutorial-file.ts';

export type TutorialVideoProps = { name: Tutorial; title: string };

/** Plays a tutorial; when it can't be had, says so and lets one try again. */
export function TutorialVideo({ name, title }: TutorialVideoProps) {
  const { t } = useTranslation('howto');
  const [hasFailed, setFailed] = useState(false);
  if (hasFailed)
    return <ErrorState title={t('failed')} reason={t('failedHint')} money={false} onRetry={() => setFailed(false)} />;
  return <Video name={name} title={title} onFailed={() => setFailed(true)} />;
}

/** With reduced motion or reduced data it waits for a press on play. */
function playsAtOnce(): boolean {
  const { connection } = navigator as { connection?: { saveData?: boolean } };
  if (connection?.saveData) return false;
  return !['motion', 'data'].some((what) => matchMedia(`(prefers-reduced-${what}: reduce)`).matches);
}

function Video({ name, title, onFailed }: TutorialVideoProps & { onFailed: () => void }) {
  const { t } = useTranslation('howto');
  const video = useRef<HTMLVideoElement>(null);
  const language = currentLanguage();
  // A video that is no longer on the page would play on, whichever way its dialog was closed.
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
      autoPlay={playsAtOnce()}
      aria-label={title}
      onError={onFailed}
      className="h-[min(60dvh,40rem)] w-auto rounded-md bg-well ring-1 ring-line"
    >
      {/* Not shown unasked: the picture has the same sentences in it. */}
      <track
        kind="captions"
        src={tutorialFile(name, language, 'vtt')}
        srcLang={htmlLang[language]}
        label={t('captions')}
      />
    </video>
  );
}
