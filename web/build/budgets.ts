/** Byte budgets of pages and scripts as served. 1 kB = 1000 B. */
export const budgets = {
  /** Scripts of /login, gzip. */
  loginScripts: 120_000,
  /** Inline styles of /login and /register, gzip. */
  inlineStyles: 5_000,
  /** /login and /register, brotli. */
  page: 9_400,
  /** Any other page: fits the first round trip (ten packets, 14 kB). */
  otherStyles: 6_000,
  otherPage: 13_000,
  /** Fonts that one language fetches. */
  fonts: 40_000,
  /** Scripts and words of any other screen beyond those of /login, gzip. */
  moreScripts: 34_500,
};
