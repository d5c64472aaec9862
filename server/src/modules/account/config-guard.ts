import { type ConfigGuard, findRemoved } from '../../platform/documents/subject.ts';
import { countMembersByBank, countMembersBySource } from './member-count-queries.ts';

const COUNTS = { banks: countMembersByBank, sources: countMembersBySource };

type Item = { code: string };

/** Keeps banks and sources that members use. */
export const configGuard: ConfigGuard = {
  guards: (subjectName) => Object.hasOwn(COUNTS, subjectName),
  async preview(on, subjectName, document, current) {
    const before = Array.isArray(current) ? (current as Item[]) : [];
    const removed = findRemoved(before, document as Item[], ({ code }) => code);
    const countMembers = COUNTS[subjectName as keyof typeof COUNTS];
    const counts = await countMembers(
      on,
      removed.map(({ code }) => code),
    );
    const problems = counts.map(({ code, members }) => ({
      path: [],
      message: `${code} is missing, but ${members} members have it: set "isEnabled": false`,
    }));
    return { problems, effects: [] };
  },
};
