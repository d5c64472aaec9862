/** Below this many rem a page is laid out for large text; the same as the `narrow` media query of the style sheet. */
const NARROW_REM = 17;

/**
 * Keeps `data-narrow` on the document while the text is too large for the width of the window. Media queries ignore
 * the browser's text zoom and a root font size from a user style sheet.
 */
export function followTextSize(): void {
  const root = document.documentElement;
  const probe = document.createElement('div');
  probe.ariaHidden = 'true';
  probe.textContent = '0';
  probe.style.cssText = 'position:absolute;top:0;font:1rem/1 system-ui;visibility:hidden;pointer-events:none';
  document.body.append(probe);
  const update = (): void => {
    root.toggleAttribute('data-narrow', root.clientWidth < NARROW_REM * probe.offsetHeight);
  };
  const observer = new ResizeObserver(update);
  observer.observe(probe);
  observer.observe(root);
}
