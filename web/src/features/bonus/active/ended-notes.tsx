import { STORAGE } from '@krapao/contract/constants';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { endingsQuery, endingText } from '../../../shared/incentive/ended-conditions.ts';
import { readStored, writeStored } from '../../../storage.ts';
import { Button } from '../../../ui/button.tsx';

/** What has ended by itself since it was last said that this was read: where its progress stood. */
export function EndedNotes() {
  const { t } = useTranslation('incentive');
  const { data = [] } = useQuery(endingsQuery);
  const [seen, setSeen] = useState(() => readStored(STORAGE.endingsSeen) ?? '');
  const news = data.filter(({ endedAt }) => endedAt > seen);
  const [newest] = news;
  if (!newest) return null;
  const read = (): void => {
    writeStored(STORAGE.endingsSeen, newest.endedAt);
    setSeen(newest.endedAt);
  };
  return (
    <section className="grid gap-3 rounded-lg bg-raised px-4 py-3 shadow-low ring-1 ring-line">
      <ul className="grid gap-2">
        {news.map((ending) => (
          <li key={ending.reference} className={ending.how === 'SUCCESS' ? 'text-jade' : 'text-amber'}>
            {endingText(ending)}
          </li>
        ))}
      </ul>
      <Button variant="quiet" size="sm" onClick={read}>
        {t('seen')}
      </Button>
    </section>
  );
}
