/** What the server answered to a form, read out when it comes. Nothing while there is nothing to say. */
export function FormFailure({ text }: { text: string | undefined }) {
  if (!text) return null;
  return (
    <p role="alert" className="rounded-md bg-coral-deep px-4 py-3 whitespace-pre-line text-coral">
      {text}
    </p>
  );
}
