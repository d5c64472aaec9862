/** What pages may weigh, in bytes as served. 1 kB = 1000 B. */
export const budgets = {
  /** Scripts of /login, gzip. */
  loginScripts: 105_000,
  /** Inline styles of a prerendered page, gzip. */
  inlineStyles: 5_000,
  /** A prerendered page, brotli. */
  page: 8_000,
  /** Fonts that one language fetches. */
  fonts: 40_000,
  /** Scripts and words of any other screen beyond those of /login, gzip. */
  moreScripts: 30_000,
};
