/**
 * What the processes of a test get of the tester's own environment: where programs are, and where Node keeps what it
 * has compiled, so that not each of some three hundred processes strips and compiles the same sources again.
 */
export const CHILD_ENVIRONMENT: Readonly<Record<string, string>> = Object.fromEntries(
  ['PATH', 'NODE_COMPILE_CACHE'].flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  }),
);
