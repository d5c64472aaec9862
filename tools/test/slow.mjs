/**
 * Whether a test file runs in `npm run test:all` only. It takes more than 8 s of processor time, starts or kills servers, waits for
 * real timeouts, or needs the full browser; a journey also if it is long and fast files show its requirements.
 */
export const isSlow = (file) => /\.slow\.(test|spec)\.\w+$/.test(file);
