import { useTranslation } from 'react-i18next';
import { IconButton } from '../core/icon-button.tsx';
import { ChevronLeftIcon, ChevronRightIcon } from '../core/icons.tsx';

/** Page numbers shown before the current one, and after it. */
const PAGES_BEFORE = 3;
const PAGES_AFTER = 1;

export type PaginationProps = {
  /** From 1. */
  page: number;
  /** Total entries. */
  total: number;
  /** Entries per page. */
  limit: number;
  onPage: (page: number) => void;
};

/** Displayed page numbers: three before the current one, one after it. */
export function pageRange(page: number, pages: number): number[] {
  const first = Math.max(1, page - PAGES_BEFORE);
  const last = Math.min(pages, page + PAGES_AFTER);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => first + i);
}

/** Page links of a list; nothing for a single page. */
export function Pagination({ page, total, limit, onPage }: PaginationProps) {
  const { t } = useTranslation('parts');
  const pages = Math.ceil(total / limit);
  if (pages <= 1) return null;
  return (
    <nav aria-label={t('pagination.label')} className="flex items-center justify-center gap-1 pt-4">
      <IconButton label={t('pagination.previous')} idle={page <= 1} onClick={() => onPage(page - 1)}>
        <ChevronLeftIcon />
      </IconButton>
      {pageRange(page, pages).map((number) => (
        <button
          key={number}
          type="button"
          aria-label={t('pagination.page', { page: number })}
          aria-current={number === page ? 'page' : undefined}
          onClick={() => onPage(number)}
          className="amount size-11 rounded-md text-base font-medium text-muted hover:bg-raised hover:text-ivory aria-[current]:bg-gold aria-[current]:text-well"
        >
          {number}
        </button>
      ))}
      <IconButton label={t('pagination.next')} idle={page >= pages} onClick={() => onPage(page + 1)}>
        <ChevronRightIcon />
      </IconButton>
    </nav>
  );
}
