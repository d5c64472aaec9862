/**
 * Environment that child processes of tests inherit: PATH, and Node's compile cache, so that the sources are compiled
 * once.
 */
export const CHILD_ENVIRONMENT: Readonly<Record<string, string>> = Object.fromEntries(
  ['PATH', 'NODE_COMPILE_CACHE'].flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  }),
);
