/** What child processes of tests inherit: PATH, and Node's compile cache, so that each does not compile the same sources. */
export const CHILD_ENVIRONMENT: Readonly<Record<string, string>> = Object.fromEntries(
  ['PATH', 'NODE_COMPILE_CACHE'].flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  }),
);
