/** What pages may weigh, in bytes as served. 1 kB = 1000 B. */
export const budgets = {
  /** Scripts of /login, gzip. */
  loginScripts: 105_000,
  /** Inline styles of a prerendered page, gzip. */
  inlineStyles: 5_000,
  /** A prerendered page, brotli: well within the first ten packets (14 kB) of a connection. */
  page: 8_200,
  /** Fonts that one language fetches. */
  fonts: 40_000,
  /** Scripts and words of any other screen beyond those of /login, gzip. */
  moreScripts: 30_000,
};
