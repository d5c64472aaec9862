import { formatMemberCode } from '@krapao/contract/rules';

/** A member code in two groups with a gap, for reading aloud. Its text is that of a copy: "7K4M-Q2XD". */
export function MemberCode({ code }: { code: string }) {
  const [firstGroup, secondGroup] = formatMemberCode(code).split('-');
  return (
    <span translate="no" className="inline-flex flex-wrap gap-x-[0.5em] font-semibold tracking-wider tabular-nums">
      <span>{firstGroup}</span>
      <span className="sr-only">{'-'}</span>
      <span>{secondGroup}</span>
    </span>
  );
}
