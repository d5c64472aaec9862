import { formatMemberCode } from '@krapao/contract/rules';

/** A member code in two groups with a gap, for reading aloud. Its text is that of a copy: "7K4M-Q2XD". */
export function MemberCode({ code }: { code: string }) {
  const [firstGroup, secondGroup] = formatMemberCode(code).split('-');
  return (
    <span translate="no" className="font-semibold tracking-wider tabular-nums">
      <span className="mr-[0.5em]">{firstGroup}</span>
      {/* Not visible, but part of the text that is read aloud and selected. */}
      <span className="text-[0px]">{'-'}</span>
      <wbr />
      <span>{secondGroup}</span>
    </span>
  );
}
