/** Maximum sizes of pages and scripts in bytes, as sent by the server. 1 kB = 1000 B. */
export const budgets = {
  /** All scripts of /login, gzip. */
  loginScripts: 120_000,
  /** Inline styles of /login and /register, gzip. */
  inlineStyles: 5_000,
  /** HTML of /login and /register, brotli. */
  page: 9_400,
  /** HTML of any other page; at most the first ten packets (14 kB) of a connection. */
  otherStyles: 6_000,
  otherPage: 13_000,
  /** All fonts that one language loads. */
  fonts: 40_000,
  /** Scripts and texts of any other screen that /login doesn't load, gzip. */
  moreScripts: 35_000,
};
