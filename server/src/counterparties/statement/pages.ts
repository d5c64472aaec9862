const PAGES_MAX = 50_000;

/** A statement that does not end. */
export class EndlessStatement extends Error {
  override readonly name = 'EndlessStatement';
}

/**
 * A statement page by page, from its beginning to its end.
 * @param party whose statement it is
 * @param read reads the page after a cursor; `''`: the first
 * @throws {EndlessStatement} when a cursor repeats, or there are more pages than any statement has
 */
export async function* pagesOf<Page extends { nextCursor: string; more: boolean }>(
  party: string,
  read: (cursor: string) => Promise<Page>,
): AsyncGenerator<Page> {
  const places = new Set<string>();
  for (let cursor = ''; places.size < PAGES_MAX;) {
    places.add(cursor);
    const page = await read(cursor);
    yield page;
    if (!page.more) return;
    cursor = page.nextCursor;
    if (places.has(cursor))
      throw new EndlessStatement(`${party} announces more after ${cursor}, where it has been before`);
  }
  throw new EndlessStatement(`${party} announces more than ${PAGES_MAX} pages`);
}
