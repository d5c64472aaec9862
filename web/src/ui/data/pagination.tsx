import { useTranslation } from 'react-i18next';
import { IconButton } from '../core/icon-button.tsx';
import { ChevronLeftIcon, ChevronRightIcon } from '../core/icons.tsx';

/** Number of page links before and after the current page. */
const PAGES_BEFORE = 3;
const PAGES_AFTER = 1;

export type PaginationProps = {
  /** Current page, starting at 1. */
  page: number;
  /** Total number of entries. */
  total: number;
  /** Number of entries per page. */
  limit: number;
  onPage: (page: number) => void;
};

/** Page numbers to display: up to three before the current page, and one after. */
export function pageRange(page: number, pageCount: number): number[] {
  const firstPage = Math.max(1, page - PAGES_BEFORE);
  const lastPage = Math.min(pageCount, page + PAGES_AFTER);
  return Array.from({ length: Math.max(0, lastPage - firstPage + 1) }, (_, i) => firstPage + i);
}

/** Page links of a list; renders nothing if there is one page. */
export function Pagination({ page, total, limit, onPage }: PaginationProps) {
  const { t } = useTranslation('parts');
  const pageCount = Math.ceil(total / limit);
  if (pageCount <= 1) return null;
  return (
    <nav aria-label={t('pagination.label')} className="-mx-2 flex flex-wrap items-center justify-center gap-2 pt-4">
      <IconButton label={t('pagination.previous')} idle={page <= 1} onClick={() => onPage(page - 1)}>
        <ChevronLeftIcon />
      </IconButton>
      {pageRange(page, pageCount).map((pageNumber) => (
        <button
          key={pageNumber}
          type="button"
          aria-label={t('pagination.page', { page: pageNumber })}
          aria-current={pageNumber === page ? 'page' : undefined}
          onClick={() => onPage(pageNumber)}
          className="amount size-11 rounded-md text-base font-medium text-muted hover:bg-raised hover:text-ivory aria-[current]:bg-gold aria-[current]:text-well"
        >
          {pageNumber}
        </button>
      ))}
      <IconButton label={t('pagination.next')} idle={page >= pageCount} onClick={() => onPage(page + 1)}>
        <ChevronRightIcon />
      </IconButton>
    </nav>
  );
}
