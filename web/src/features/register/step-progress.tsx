import { useTranslation } from 'react-i18next';

/** Where in the wizard one is: a strand of gold, and the same in words. */
export function StepProgress({ step, steps, name }: { step: number; steps: number; name: string }) {
  const { t } = useTranslation('register');
  return (
    <div className="mb-5">
      <div className="flex gap-1.5" aria-hidden="true">
        {Array.from({ length: steps }, (_, i) => (
          <span key={i} className={`h-1.5 grow rounded-full ${i < step ? 'bg-gold' : 'bg-line'}`} />
        ))}
      </div>
      <p className="mt-2 text-sm text-muted">{t('progress', { step, steps })}</p>
      <h2 className="text-lg font-semibold">{name}</h2>
    </div>
  );
}
