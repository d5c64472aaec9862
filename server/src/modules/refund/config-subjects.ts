import type { Currency } from '@krapao/contract/money';
import type { ConfigSubject, Problem } from '../../platform/documents/subject.ts';
import { settingSubject } from '../operator-data/index.ts';
import { type RefundSettings, refundSetting } from './refund.ts';

const findSettingProblems = ({ maximum, minimum }: RefundSettings): Problem[] =>
  (Object.keys(maximum) as Currency[]).flatMap((currency) => {
    const path = ['maximum', currency];
    if (maximum[currency] === 0n) return [{ path, message: 'must be more than 0.00: "isActive": false stops refunds' }];
    return maximum[currency] < minimum[currency] ? [{ path, message: 'must be at least minimum' }] : [];
  });

/** The programme of refunds. */
export const configSubjects: readonly ConfigSubject[] = [
  settingSubject({ ...refundSetting, subject: 'refunds', check: findSettingProblems }),
];
