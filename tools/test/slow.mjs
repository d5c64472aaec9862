/**
 * Whether a test file runs only in `npm run test:all`. Such a file takes more than 8 s of processor time, starts or
 * kills servers, waits for real timeouts, or needs the complete browser. A long file is
 * slow too if fast files show the main path of its capability.
 */
export const isSlow = (file) => /\.slow\.(test|spec)\.\w+$/.test(file);
