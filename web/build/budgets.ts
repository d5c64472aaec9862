/** What pages may weigh, in bytes as served. 1 kB = 1000 B. */
export const budgets = {
  /** Scripts of /login, gzip. */
  loginScripts: 105_000,
  /** Inline styles of /login and /register, gzip. */
  inlineStyles: 5_000,
  /** /login and /register, brotli. */
  page: 8_200,
  /** The same of any other page: within the first ten packets (14 kB) of a connection. */
  otherStyles: 6_000,
  otherPage: 12_000,
  /** Fonts that one language fetches. */
  fonts: 40_000,
  /** Scripts and words of any other screen beyond those of /login, gzip. */
  moreScripts: 30_000,
};
