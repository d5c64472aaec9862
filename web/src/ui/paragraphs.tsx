/** A first line, and smaller explanations below it. */
export function Paragraphs({ of: [first, ...more] }: { of: readonly string[] }) {
  return (
    <>
      <p>{first}</p>
      {more.map((text) => (
        <p key={text} className="mt-2 text-sm text-muted">
          {text}
        </p>
      ))}
    </>
  );
}
