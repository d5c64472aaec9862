/**
 * Whether a test file runs only in `npm run test:all`. Such a file takes more than 8 s of processor time, starts or
 * kills servers, waits for real timeouts, or needs the complete browser. A long file is
 * slow too if fast files show the main path of its capability.
 *
 * Costs in CPU seconds, on two busy cores:
 * - process with the server's modules 1.1, so fast files share 24; spawned server 0.7
 * - cloned database 0.34 on disk, 0.04 in `/dev/shm`, which tests use where memory allows
 * - system of a journey's own (`useSeparateSystem`) 4.8, so journeys share one, and several settings share another
 * - home page of a new member 1.1, so one journey asserts several things; page in every size and scheme 1.2
 */
export const isSlow = (file) => /\.slow\.(test|spec)\.\w+$/.test(file);
