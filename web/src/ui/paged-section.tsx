import { type ReactNode, useId } from 'react';
import { useTranslation } from 'react-i18next';
import { Pagination, type PaginationProps } from './data/pagination.tsx';
import { Skeleton } from './data/skeleton.tsx';

export type PagedSectionProps = {
  title: string;
  /** Text below the title. */
  intro?: ReactNode;
  /** Content for an empty list. */
  empty: ReactNode;
  list: {
    isPending: boolean;
    /** Whether another page is loading while this one is displayed. */
    isChangingPage: boolean;
    /** Undefined without a loaded list; after a failed load nothing is shown. */
    pager: PaginationProps | undefined;
  };
  /** Class names of the table head. */
  headClass: string;
  columns: ReactNode;
  rows: ReactNode;
};

/** Section with a paged table, at the end of a dialog. */
export function PagedSection(props: PagedSectionProps) {
  const { title, intro, empty, list, headClass, columns, rows } = props;
  const { isPending, isChangingPage, pager } = list;
  const { t } = useTranslation('common');
  const id = useId();
  if (!isPending && !pager) return null;
  return (
    <section aria-labelledby={id} className="mt-6 border-t border-line pt-4">
      <h3 id={id} className="mb-1 font-semibold">
        {title}
      </h3>
      {intro}
      {isPending && (
        <div role="status" aria-label={t('loading')} className="grid gap-3 py-2">
          <Skeleton />
          <Skeleton />
        </div>
      )}
      {pager?.total === 0 && <p className="py-2 text-sm text-muted">{empty}</p>}
      {pager && pager.total > 0 && (
        <table aria-labelledby={id} className={`block text-sm ${isChangingPage ? 'opacity-60' : ''}`}>
          <thead className={headClass}>{columns}</thead>
          <tbody className="block">{rows}</tbody>
        </table>
      )}
      {pager && <Pagination {...pager} />}
    </section>
  );
}
