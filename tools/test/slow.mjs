/**
 * Whether a test file runs in `npm run test:all` only: it takes more than 8 s of processor time, starts or kills servers, or waits for
 * real timeouts.
 */
export const isSlow = (file) => /\.slow\.(test|spec)\.\w+$/.test(file);
