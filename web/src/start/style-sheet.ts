/**
 * The whole style sheet. A page built by the bundler has it in its head; a prerendered one carries only its own part and
 * says where the whole is, to be fetched before another screen is shown.
 * @param href address of the sheet, or undefined when it is in the head already
 * @returns loads it once; resolves also when it can't be had, because a page without some styles beats none
 */
export function styleSheet(href: string | undefined): () => Promise<void> {
  let loading: Promise<void> | undefined;
  return () =>
    (loading ??= new Promise((resolve) => {
      if (!href) return resolve();
      const link = document.createElement('link');
      link.rel = 'stylesheet';
      link.href = href;
      link.addEventListener('load', () => resolve());
      link.addEventListener('error', () => resolve());
      document.head.append(link);
    }));
}
