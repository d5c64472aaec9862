import { useTranslation } from 'react-i18next';
import { buttonClass } from '../../ui/button-class.ts';
import { Button } from '../../ui/button.tsx';
import type { WayIn } from './launch/way-in.ts';

/** A game whose tab the browser held back: one press opens it, and nothing blocks what a press on a link opens. */
export function HeldBack({ way, name }: { way: WayIn; name: string }) {
  const { t } = useTranslation('game');
  const words = t('blockedLink', { name });
  return (
    <div role="alert" className="grid gap-2 rounded-md bg-amber-deep px-4 py-3">
      <p className="text-sm text-amber">{t('blocked')}</p>
      {way.kind === 'link' ? (
        <a href={way.link} target="_blank" rel="noopener noreferrer" className={buttonClass('gold', 'sm')}>
          {words}
        </a>
      ) : (
        <form method="post" action={way.form.action} target="_blank" rel="noopener noreferrer" className="grid">
          {Object.entries(way.form.fields).map(([field, value]) => (
            <input key={field} type="hidden" name={field} value={value} />
          ))}
          <Button type="submit" variant="gold" size="sm">
            {words}
          </Button>
        </form>
      )}
    </div>
  );
}
