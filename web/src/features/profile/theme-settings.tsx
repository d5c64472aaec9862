import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { chooseTheme, chosenTheme, themes } from '../../browser/theme.ts';
import { Card } from '../../ui/core/card.tsx';

/** The profile's card about the theme on this device. */
export function ThemeSettings() {
  const { t } = useTranslation('profile');
  const [chosen, setChosen] = useState(chosenTheme);
  return (
    <div className="mx-auto mt-4 w-full max-w-2xl">
      <Card title={t('theme')}>
        <div role="radiogroup" aria-label={t('theme')} className="grid grid-cols-3 gap-2 narrow:grid-cols-1">
          {themes.map((theme) => (
            <label
              key={theme}
              className="relative flex min-h-11 cursor-pointer items-center justify-center rounded-md bg-well px-2 text-center text-sm font-medium text-muted outline-offset-2 outline-gold-lit hover:text-ivory has-focus-visible:outline-2 has-checked:bg-raised has-checked:text-gold-lit has-checked:ring-2 has-checked:ring-gold has-checked:ring-inset"
            >
              <input
                type="radio"
                name="theme"
                value={theme}
                checked={chosen === theme}
                onChange={() => {
                  chooseTheme(theme);
                  setChosen(theme);
                }}
                className="absolute inset-0 size-full cursor-pointer appearance-none rounded-md opacity-0"
              />
              {t(`themes.${theme}`)}
            </label>
          ))}
        </div>
      </Card>
    </div>
  );
}
