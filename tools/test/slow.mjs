/**
 * Whether a test file runs only in `npm run test:all`. Such a file takes more than 8 s of processor time, starts or
 * kills servers, waits for real timeouts, or needs the complete browser. So does a long file about more than the main
 * path of its capability, which fast files show.
 */
export const isSlow = (file) => /\.slow\.(test|spec)\.\w+$/.test(file);
