import {
  type StatementStatus,
  statementStatuses,
  type StatementType,
  statementTypes,
} from '@krapao/contract/statement';
import { trimPasted } from '@krapao/contract/text/digits';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../ui/core/button.tsx';
import { useTopModal } from '../../ui/core/overlay-stack.ts';
import { TextInput } from '../../ui/core/text-input.tsx';
import { FilterIcon, SearchIcon } from '../../ui/data/member-icons.tsx';

/** The chosen filter, as it is kept in the address; empty values do not restrict. Days are YYYY-MM-DD in Thai time. */
export type Filter = {
  types: readonly StatementType[];
  game: string;
  status: StatementStatus | '';
  from: string;
  /** Last day, inclusive. */
  until: string;
  /** Amount, game or beginning of a reference, as typed. */
  search: string;
};

export const NO_FILTER: Filter = { types: [], game: '', status: '', from: '', until: '', search: '' };

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const DAY_MS = 24 * 3_600_000;
const isDay = (text: string): boolean => DAY.test(text) && !Number.isNaN(Date.parse(text));
/** Start of a day in Thai and Lao time. */
const startOf = (day: string): number => Date.parse(`${day}T00:00:00+07:00`);

/** Reads a filter from the query of an address; ignores what is invalid. */
export function parseFilter(query: string): Filter {
  const params = new URLSearchParams(query);
  const text = (name: string): string => params.get(name) ?? '';
  const requested = text('kind').split(',');
  const day = (name: string): string => (isDay(text(name)) ? text(name) : '');
  return {
    types: statementTypes.filter((type) => requested.includes(type)),
    game: text('game').slice(0, 32),
    status: statementStatuses.find((status) => status === text('state')) ?? '',
    from: day('from'),
    until: day('until'),
    search: trimPasted(text('ref')).slice(0, 64),
  };
}

/** The query of an address with a filter, including `?`; empty without a restriction. */
export function filterSearch({ types, game, status, from, until, search }: Filter): string {
  // Named `ref`, because older links contain it.
  const values = { kind: types.join(','), game, state: status, from, until, ref: trimPasted(search) };
  const params = new URLSearchParams(Object.entries(values).filter(([, value]) => value));
  return params.size > 0 ? `?${params}` : '';
}

/** Fields of the request body. */
export function filterBody({ types, game, status, from, until, search }: Filter) {
  return {
    ...(types.length > 0 && { types: [...types] }),
    ...(game && { game }),
    ...(status && { status }),
    ...(from && { from: new Date(startOf(from)).toISOString() }),
    ...(until && { until: new Date(startOf(until) + DAY_MS).toISOString() }),
    ...(trimPasted(search) && { search: trimPasted(search) }),
  };
}

/** Pause in ms while typing after which a search is applied. */
const TYPING_PAUSE_MS = 400;
const PATH = '/user/statement';

/**
 * The filter in the fields, and the applied one, which follows after a pause in typing and is kept in the address. The
 * prerendered page has no filter.
 */
export function useAddressFilter(isHydrated: boolean) {
  const readFilter = (): Filter => parseFilter(location.search);
  const [chosen, setChosen] = useState<Filter>();
  const [applied, setApplied] = useState<Filter>();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const isModalOpen = useTopModal() !== undefined;
  const setFilter = (next: Filter, pauseMs = 0): void => {
    clearTimeout(timer.current);
    setChosen(next);
    if (pauseMs > 0) timer.current = setTimeout(() => setApplied(next), pauseMs);
    else setApplied(next);
  };
  // The input that `restore-inputs.ts` restores arrives before the filter of the address is rendered.
  const setTyped = (search: string): void =>
    setFilter({ ...(chosen ?? readFilter()), search }, trimPasted(search) ? TYPING_PAUSE_MS : 0);
  useEffect(() => () => clearTimeout(timer.current), []);
  // An open dialog has its own history entry, which Back removes. While the next page loads, this one is mounted.
  useEffect(() => {
    if (applied && !isModalOpen && location.pathname.startsWith(PATH))
      history.replaceState(history.state, '', `${location.pathname}${filterSearch(applied)}`);
  }, [applied, isModalOpen]);
  const first = isHydrated ? readFilter() : NO_FILTER;
  return { filter: chosen ?? first, applied: applied ?? first, setFilter, setTyped };
}

export type FilterBarProps = {
  filter: Filter;
  /** Number of results; undefined while they load and without a filter. */
  found: number | undefined;
  /** Called at each input. */
  onType: (search: string) => void;
  onSearch: () => void;
  onOpen: () => void;
  onExport: () => void;
};

/** A button that opens the filter, and a search field for amounts, games and references. */
export function FilterBar({ filter, found, onType, onSearch, onOpen, onExport }: FilterBarProps) {
  const { t } = useTranslation('statement');
  const { types, game, status, from, until, search } = filter;
  const count = [types.length > 0, game, status, from || until].filter(Boolean).length;
  return (
    <div className="mb-3 flex flex-wrap items-start gap-2 max-sm:*:grow">
      <Button variant="quiet" aria-haspopup="dialog" icon={<FilterIcon className="size-5" />} onClick={onOpen}>
        {count > 0 ? t('filter.openCount', { count }) : t('filter.open')}
      </Button>
      {/* On phones below both buttons. */}
      <search className="grow max-sm:order-1 max-sm:basis-full">
        <form
          onSubmit={(event) => {
            event.preventDefault();
            onSearch();
          }}
        >
          <TextInput
            label={t('filter.search')}
            isLabelHidden
            placeholder={t('filter.hint')}
            type="search"
            enterKeyHint="search"
            autoComplete="off"
            maxLength={64}
            leadIcon={<SearchIcon className="size-5" />}
            value={search}
            onChange={({ target }) => onType(target.value)}
          />
        </form>
      </search>
      <Button variant="quiet" aria-haspopup="dialog" onClick={onExport}>
        {t('export.open')}
      </Button>
      <p role="status" className="sr-only">
        {found !== undefined && t('filter.found', { count: found })}
      </p>
    </div>
  );
}
