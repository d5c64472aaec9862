import { type Tutorial, SECONDS_PER_STEP } from '@krapao/contract/constants';
import type { Language } from '@krapao/contract/languages';
import { useTranslation } from 'react-i18next';

/** Path of a tutorial's video, captions or poster. `npm run lab -- howto` records these files. */
export const tutorialFile = (name: Tutorial, language: Language, kind: 'mp4' | 'vtt' | 'jpg'): string =>
  `/howto/${name}.${language}.${kind}`;

/** Texts of a tutorial in the current language: title, description and steps. Its video shows the same sentences. */
export function useTutorialTexts(name: Tutorial) {
  const { t } = useTranslation('howto');
  const steps: readonly string[] = Object.values(t(`tutorial.${name}.steps`, { returnObjects: true }));
  return {
    title: t(`tutorial.${name}.title`),
    about: t(`tutorial.${name}.about`),
    steps,
    length: t('length', { seconds: steps.length * SECONDS_PER_STEP }),
  };
}
