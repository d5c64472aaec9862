import type { Currency } from '@krapao/contract/money';
import type { z } from 'zod';
import { asWrittenShape } from '../../platform/documents/fields.ts';
import { type ConfigSubject, NO_OBJECTION, type Preview, type Problem } from '../../platform/documents/subject.ts';
import { type SettingValue, type SettingName, settingShapes } from './operator-data.ts';
import { readSeed } from './seed.ts';
import { lockSetting, saveSetting, selectBankRules, selectSettingValue } from './subject-queries.ts';

type SettingSubjectOptions = {
  /** Name of the row. */
  name: string;
  shape: z.ZodType;
  /** Name of the subject, unless it is `setting:NAME`. */
  subject?: string;
  check?: (value: never) => Problem[];
  preview?: ConfigSubject['preview'];
};

/** The subject of a row of `operator_data_setting`, for the module that owns the setting. */
export const settingSubject = ({ name, shape, subject, check, preview }: SettingSubjectOptions): ConfigSubject => ({
  name: subject ?? `setting:${name}`,
  schema: asWrittenShape(shape, check),
  lock: (tx) => lockSetting(tx, name),
  read: (on) => selectSettingValue(on, name),
  apply: (tx, document) => saveSetting(tx, name, document),
  preview: preview ?? (async () => NO_OBJECTION),
  seed: () => (readSeed('settings') as Record<string, unknown>)[name],
});

const problem = (path: (string | number)[], message: string): Problem => ({ path, message });
const SITE_ADDRESS = /^$|^https?:\/\/[!-~]+$/;
const CONTACT_LINK = /^(?:https?|line):[!-~]+$/;
const QR_IMAGE = /^(?:https:\/\/|\/(?!\/)|data:image\/)[!-~]+$/;
const SLIP_MINUTES_MAX = 7 * 24 * 60;
const SLIP_MB_MAX = 10;

const checks: { [Name in SettingName]?: (value: SettingValue<Name>) => Problem[] } = {
  info: ({ name, website }) => [
    ...(name.trim() === '' ? [problem(['name'], 'must not be blank')] : []),
    ...(SITE_ADDRESS.test(website) ? [] : [problem(['website'], 'must be an http or https address, or empty')]),
  ],
  contact: ({ lineLink, lineQR }) => [
    ...(CONTACT_LINK.test(lineLink) ? [] : [problem(['lineLink'], 'must be an http, https or line address')]),
    ...(lineQR === undefined || QR_IMAGE.test(lineQR)
      ? []
      : [problem(['lineQR'], 'must be an https address, a path of the site (/…) or a data:image address')]),
  ],
  // A maximum of 0.00 would refuse every withdrawal: `krapao switches` stops them, with who and why.
  withdraw: (limits) =>
    (Object.keys(limits) as Currency[]).flatMap((currency) => {
      const { min, max } = limits[currency];
      return [
        ...(min > 0n ? [] : [problem([currency, 'min'], 'must be more than 0.00')]),
        ...(max > 0n
          ? []
          : [problem([currency, 'max'], 'must be more than 0.00: `krapao switches` stops withdrawals')]),
        ...(max <= 0n || max >= min ? [] : [problem([currency, 'max'], 'must be at least min')]),
      ];
    }),
  slip: ({ expireMinutes, maxMB }) => [
    ...(expireMinutes >= 1 && expireMinutes <= SLIP_MINUTES_MAX
      ? []
      : [problem(['expireMinutes'], `must be from 1 to ${SLIP_MINUTES_MAX}`)]),
    ...(maxMB >= 1 && maxMB <= SLIP_MB_MAX ? [] : [problem(['maxMB'], `must be from 1 to ${SLIP_MB_MAX}`)]),
  ],
  phoneRanges: (ranges) =>
    ranges.flatMap((range, index) => (ranges.indexOf(range) < index ? [problem([index], `${range} twice`)] : [])),
  bankApps: (apps) =>
    apps.flatMap(({ code }, index) =>
      apps.findIndex((app) => app.code === code) < index ? [problem([index, 'code'], `${code} twice`)] : [],
    ),
};

/** New names must be those of banks; older ones may be left. */
const previewBankNames: ConfigSubject['preview'] = async (on, document, { current }) => {
  const banks = await selectBankRules(on);
  const newCodes = Object.keys(document as object).filter((code) => !Object.hasOwn(Object(current) as object, code));
  const problems = newCodes
    .filter((code) => !banks.has(code))
    .map((code) => problem([code], `there is no bank ${code}`));
  return { problems, effects: [] };
};

const STATUS_EFFECT: Preview = {
  problems: [],
  effects: ['The site is closed: every call except the status is refused.'],
};
const previews: { [Name in SettingName]?: ConfigSubject['preview'] } = {
  bankNamesLA: previewBankNames,
  status: async (_, document) =>
    (document as SettingValue<'status'>).terminated === 'gone' ? STATUS_EFFECT : NO_OBJECTION,
};

/** The settings of the site, each a subject. */
export const settingSubjects: readonly ConfigSubject[] = (Object.keys(settingShapes) as SettingName[]).map((name) => {
  const [check, preview] = [checks[name], previews[name]];
  return settingSubject({ name, shape: settingShapes[name], ...(check && { check }), ...(preview && { preview }) });
});
