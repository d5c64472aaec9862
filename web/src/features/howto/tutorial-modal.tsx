import type { Tutorial } from '@krapao/contract/constants';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { Modal } from '../../ui/overlay/modal.tsx';
import { TutorialVideo } from './tutorial-video.tsx';
import { useTutorialWords } from './tutorial-words.ts';

/** One tutorial: its video, and its steps as text for members who can't see it or save data. */
export function TutorialModal({ name, onClose }: { name: Tutorial; onClose: () => void }) {
  const { t } = useTranslation('howto');
  const id = useId();
  const { title, steps } = useTutorialWords(name);
  return (
    <Modal open onClose={onClose} title={title} size="lg">
      <div className="grid gap-5 sm:grid-cols-[auto_minmax(0,1fr)] sm:gap-8">
        <div className="flex items-start justify-center sm:max-w-72">
          <TutorialVideo name={name} title={title} />
        </div>
        {/* Keys scroll it from here: on the video they turn its sound and its time. */}
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
