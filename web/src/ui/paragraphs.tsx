/** A first paragraph, followed by explanations in smaller text. */
export function Paragraphs({ texts: [firstText, ...otherTexts] }: { texts: readonly string[] }) {
  return (
    <>
      <p>{firstText}</p>
      {otherTexts.map((text) => (
        <p key={text} className="mt-2 text-sm text-muted">
          {text}
        </p>
      ))}
    </>
  );
}
