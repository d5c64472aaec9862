import type { Tutorial } from '@krapao/contract/constants';
import type { Language } from '@krapao/contract/languages';

/** Where a tutorial's video, its captions and its poster are; `npm run lab -- howto` makes them. */
export const tutorialFile = (name: Tutorial, language: Language, kind: 'mp4' | 'vtt' | 'jpg'): string =>
  `/howto/${name}.${language}.${kind}`;
