/** The last part of a path or an address, as one reads it; '' when it has none. */
export function fileName(path: string): string {
  const last =
    path
      .replace(/[?#].*$/s, '')
      .split('/')
      .at(-1) ?? '';
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
}
