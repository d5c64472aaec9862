import { isLanguage, languages } from '@krapao/contract/languages';
import { useTranslation } from 'react-i18next';
import { currentLanguage } from '../i18n/i18n.ts';
import { chooseLanguage } from '../i18n/language.ts';
import { failedToLoad } from '../routing/failed-to-load.ts';
import { ChevronDownIcon, LanguageIcon } from '../ui/icons/shell-icons.tsx';

/** The three languages, each in its own script, in the platform's own list. */
export function LanguageMenu() {
  const { t } = useTranslation('common');
  return (
    <label className="relative inline-flex min-h-11 items-center rounded-md text-muted outline-offset-2 outline-gold-lit hover:bg-raised hover:text-ivory has-focus-visible:outline-2">
      <span
        aria-hidden="true"
        className="flex items-center gap-1.5 px-2 text-sm font-medium min-[24rem]:gap-2 min-[24rem]:px-3"
      >
        <LanguageIcon className="size-5 max-[24rem]:hidden narrow:block" />
        <span className="narrow:hidden">{t(`language.${currentLanguage()}`)}</span>
        <ChevronDownIcon className="size-4 narrow:hidden" />
      </span>
      {/* Lies over the words, unseen, in the system's font: its options would fetch the fonts of all three scripts. */}
      <select
        aria-label={t('language.label')}
        // A browser that puts back what was chosen on an earlier page would choose it again.
        autoComplete="off"
        value={currentLanguage()}
        onChange={({ target }) => {
          if (isLanguage(target.value)) chooseLanguage(target.value).catch(failedToLoad);
        }}
        className="absolute inset-0 w-full appearance-none bg-panel font-[system-ui] text-base text-ivory opacity-0"
      >
        {languages.map((language) => (
          <option key={language} value={language}>
            {t(`language.${language}`)}
          </option>
        ))}
      </select>
    </label>
  );
}
