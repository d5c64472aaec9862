import { exportFormats, statementStatuses, statementTypes } from '@krapao/contract/statement';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { call, serverNow } from '../../api/call.ts';
import { failureText } from '../../api/error-text.ts';
import { ApiFailure } from '../../api/errors.ts';
import { useCommand } from '../../api/query/command.ts';
import { apiQuery } from '../../api/query/query.ts';
import { formatDate } from '../../format/date.ts';
import { webAddress } from '../../format/web-address.ts';
import { currentLanguage, i18n } from '../../i18n/i18n.ts';
import type { GameAccount } from '../../member/wallet.ts';
import { Button } from '../../ui/core/button.tsx';
import { Checkbox } from '../../ui/core/checkbox.tsx';
import { Spinner } from '../../ui/core/loader.tsx';
import { Select } from '../../ui/core/select.tsx';
import { TextInput } from '../../ui/core/text-input.tsx';
import { Modal } from '../../ui/modal.tsx';
import { ExportLink } from './export-link.tsx';
import { type Filter, filterBody, filterSearch, NO_FILTER } from './statement-filter.tsx';

const DAY_MS = 24 * 3_600_000;

type FilterSheetProps = {
  filter: Filter;
  games: readonly Pick<GameAccount, 'code' | 'name'>[];
  onApply: (filter: Filter) => void;
  onClose: () => void;
};

/** Restricts the statement by kind, game, state and period. */
export function FilterSheet({ filter, games, onApply, onClose }: FilterSheetProps) {
  const { t } = useTranslation(['statement', 'money']);
  const [draft, setDraft] = useState(filter);
  const change = (part: Partial<Filter>): void => setDraft({ ...draft, ...part });
  const isReversed = draft.from !== '' && draft.until !== '' && draft.from > draft.until;
  const periods = periodPresets();
  return (
    <Modal
      open
      onClose={onClose}
      title={t('filter.open')}
      footer={
        <>
          <Button disabled={isReversed} onClick={() => onApply(draft)}>
            {t('money:filter.apply')}
          </Button>
          <Button variant="quiet" onClick={() => onApply({ ...NO_FILTER, search: filter.search })}>
            {t('filter.clear')}
          </Button>
        </>
      }
    >
      <fieldset className="mb-4">
        <legend className="mb-1 text-sm font-medium text-muted">{t('money:filter.kind')}</legend>
        <div className="grid grid-cols-2 gap-2 low:grid-cols-3 narrow:grid-cols-1">
          {statementTypes.map((type) => (
            <Checkbox
              key={type}
              label={t(`money:filter.type.${type}`)}
              checked={draft.types.includes(type)}
              onChange={({ target }) =>
                change({
                  types: statementTypes.filter((known) =>
                    known === type ? target.checked : draft.types.includes(known),
                  ),
                })
              }
            />
          ))}
        </div>
      </fieldset>
      <div className="grid gap-3 sm:grid-cols-2">
        <Select
          label={t('money:filter.game')}
          placeholder={t('money:filter.any')}
          value={draft.game}
          options={games.map(({ code, name }) => ({ value: code, label: name }))}
          onChange={({ target }) => change({ game: target.value })}
        />
        <Select
          label={t('money:filter.state')}
          placeholder={t('money:filter.any')}
          value={draft.status}
          options={statementStatuses.map((status) => ({ value: status, label: t(`money:filter.status.${status}`) }))}
          onChange={({ target }) => change({ status: statementStatuses.find((one) => one === target.value) ?? '' })}
        />
      </div>
      <div role="group" aria-label={t('money:filter.span')} className="my-4 flex gap-2 *:flex-auto">
        {periods.map(({ name, from, until }) => (
          <Button
            key={name}
            variant="quiet"
            size="sm"
            aria-pressed={draft.from === from && draft.until === until}
            onClick={() => change({ from, until })}
            className="px-1! aria-pressed:bg-gold aria-pressed:text-well"
          >
            {t(`money:filter.${name}`)}
          </Button>
        ))}
      </div>
      <PeriodFields from={draft.from} until={draft.until} isReversed={isReversed} onChange={change} />
    </Modal>
  );
}

export type PeriodFieldsProps = Pick<Filter, 'from' | 'until'> & {
  isReversed: boolean;
  onChange: (period: Partial<Pick<Filter, 'from' | 'until'>>) => void;
};

/** First and last day of a period. */
export function PeriodFields({ from, until, isReversed, onChange }: PeriodFieldsProps) {
  const { t } = useTranslation(['statement', 'money']);
  const max = dayOf(serverNow());
  return (
    <div className="grid grid-cols-2 gap-3 max-[22rem]:grid-cols-1">
      <TextInput
        label={t('money:filter.from')}
        type="date"
        max={max}
        value={from}
        onChange={({ target }) => onChange({ from: target.value })}
      />
      <TextInput
        label={t('money:filter.until')}
        type="date"
        max={max}
        value={until}
        error={isReversed ? t('money:filter.reversed') : undefined}
        onChange={({ target }) => onChange({ until: target.value })}
      />
    </div>
  );
}

/** Periods to choose from, first and last day inclusive. */
export function periodPresets() {
  const today = dayOf(serverNow());
  return [
    { name: 'today', from: today, until: today },
    { name: 'week', from: dayOf(serverNow() - 6 * DAY_MS), until: today },
    { name: 'month', from: `${today.slice(0, 8)}01`, until: today },
  ] as const;
}

/** A moment's day as YYYY-MM-DD in Thai and Lao time. */
function dayOf(ms: number): string {
  return formatDate(ms).split('/').toReversed().join('-');
}

type Format = (typeof exportFormats)[number];

const POLL_MS = 1_000;
/** Half of the time that a link works. */
const RENEW_MS = 5 * 60_000;

export type ExportSheetProps = { filter: Filter; onClose: () => void };

/** Makes a file of the filtered movements in a period. */
export function ExportSheet({ filter, onClose }: ExportSheetProps) {
  const { t } = useTranslation(['statement', 'money']);
  const [month] = useState(() => periodPresets()[2]);
  const [{ from, until }, setPeriod] = useState({
    from: filter.from || month.from,
    until: filter.until || month.until,
  });
  const { state, send } = useCommand({
    send: (format: Format, { key }) => {
      const { from: start, until: end, ...rest } = filterBody({ ...filter, from, until });
      const body = { ...rest, from: start ?? '', until: end ?? '', format, language: currentLanguage() };
      return call('POST /api/statement/export', { body, idempotencyKey: key, quiet: true });
    },
    identity: (format) => JSON.stringify([format, from, until, filter]),
    invalidates: [],
  });
  const isReversed = from === '' || until === '' || from > until;
  const isFiltered = filterSearch({ ...filter, from: '', until: '' }) !== '';
  return (
    <Modal open onClose={onClose} title={t('money:export.title')}>
      <p className="mb-3 text-sm text-muted">
        {t('money:export.hint')}
        {isFiltered && <span className="block">{t('money:export.filtered')}</span>}
      </p>
      <PeriodFields
        from={from}
        until={until}
        isReversed={isReversed}
        onChange={(period) => setPeriod({ from, until, ...period })}
      />
      <div className="mt-4 grid grid-flow-col auto-cols-fr gap-2 narrow:grid-flow-row">
        {exportFormats.map((format) => (
          <Button
            key={format}
            wide
            disabled={isReversed}
            busy={state.status === 'sending' && state.input === format && t('money:export.make')}
            onClick={() => void send(format)}
          >
            {t('money:export.makeFormat', { format: format.toUpperCase() })}
          </Button>
        ))}
      </div>
      <div aria-live="polite" className="mt-4 min-h-24">
        {(state.status === 'failed' || state.status === 'undecided') && (
          <p className="text-sm text-coral">{limitText(state.failure) ?? failureText(state.failure)}</p>
        )}
        {state.status === 'done' && <ExportedFile key={state.reply.id} id={state.reply.id} format={state.input} />}
      </div>
    </Modal>
  );
}

const limits = ['EXPORTS_PER_DAY', 'EXPORT_RUNNING'] as const;

/** Which limit of files was reached. */
function limitText(failure: unknown): string | undefined {
  const limit = limits.find((one) => failure instanceof ApiFailure && failure.detail === one);
  return limit && i18n.t(`money:export.refused.${limit}`);
}

/** Progress of a file, then its link, which is renewed before it ends. */
function ExportedFile({ id, format }: { id: string; format: Format }) {
  const { t } = useTranslation(['statement', 'money']);
  const { data, error } = useQuery({
    ...apiQuery('GET /api/statement/export/{id}', { params: { id }, quiet: true }),
    refetchInterval: ({ state: { data } }) =>
      data?.state === 'FAILED' ? false : data?.state === 'DONE' ? RENEW_MS : POLL_MS,
  });
  if (error && !data) return <p className="text-sm text-coral">{failureText(error)}</p>;
  if (data?.state === 'FAILED') return <p className="text-sm text-coral">{t('money:export.failed')}</p>;
  const links = data?.parts ?? [];
  if (links.length === 0)
    return (
      <div className="flex items-center gap-3">
        <Spinner className="size-5" />
        <p className="text-sm text-muted">{t('money:export.making')}</p>
      </div>
    );
  return (
    <>
      <p className="mb-2 text-sm text-muted">
        {t('money:export.ready', { count: data?.lines ?? 0 })}
        {links.length > 1 && <span className="block">{t('money:export.inParts', { parts: links.length })}</span>}
      </p>
      {links.map(({ url }, index) => {
        const address = webAddress(url, location.href);
        const part = links.length > 1 ? ` · ${t('money:export.part', { part: index + 1, parts: links.length })}` : '';
        return address && <ExportLink key={index} url={address} format={format} part={part} />;
      })}
    </>
  );
}
