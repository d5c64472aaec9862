import { type Tutorial, SECONDS_PER_STEP } from '@krapao/contract/constants';
import type { Language } from '@krapao/contract/languages';
import { useTranslation } from 'react-i18next';

/** Where a tutorial's video, its captions and its poster are; `npm run lab -- howto` makes them. */
export const tutorialFile = (name: Tutorial, language: Language, kind: 'mp4' | 'vtt' | 'jpg'): string =>
  `/howto/${name}.${language}.${kind}`;

/** What a tutorial is called, says and shows, in the language shown; its video says the same sentences. */
export function useTutorialWords(name: Tutorial) {
  const { t } = useTranslation('howto');
  const steps: readonly string[] = Object.values(t(`tutorial.${name}.steps`, { returnObjects: true }));
  return {
    title: t(`tutorial.${name}.title`),
    about: t(`tutorial.${name}.about`),
    steps,
    length: t('length', { seconds: steps.length * SECONDS_PER_STEP }),
  };
}
