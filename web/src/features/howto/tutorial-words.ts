import { SECONDS_PER_STEP, type Tutorial } from '@krapao/contract/constants';
import { useTranslation } from 'react-i18next';

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
