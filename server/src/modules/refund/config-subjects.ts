import type { ConfigSubject } from '../../platform/documents/subject.ts';
import { settingSubject } from '../lookup/index.ts';
import { refundSetting } from './refund.ts';

/** The programme of refunds. */
export const configSubjects: readonly ConfigSubject[] = [settingSubject({ ...refundSetting, subject: 'refunds' })];
