import type { ConfigSubject } from '../../platform/documents/subject.ts';
import { settingSubject } from '../operator-data/index.ts';
import { inviteSetting } from './invite.ts';

/** The programme of invites. */
export const configSubjects: readonly ConfigSubject[] = [settingSubject({ ...inviteSetting, subject: 'invites' })];
