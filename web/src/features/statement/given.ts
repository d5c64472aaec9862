import type { Reply } from '../../api/endpoint-types.ts';

type Entry = Reply<'POST /api/statement'>['statements'][number];

const kinds = ['bonus', 'promotion', 'invite', 'refund', 'luckydraw'] as const;
/** What money was given for. */
export type Given = (typeof kinds)[number];

/** What a movement belongs to, as the statement links it; a bonus where nothing is linked. */
export function givenBy(entry: Entry): { kind: Given; description: string | undefined } {
  const kind = kinds.find((one) => entry[one] !== undefined) ?? 'bonus';
  return { kind, description: entry[kind]?.description };
}
