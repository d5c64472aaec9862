/**
 * A parameter whose value the planner of PostgreSQL does not see, as SQL. A prepared statement is planned again at each
 * execution while the plan for the present values looks cheaper than the one for any values, as it does for a list of one
 * item or a page of ten lines: such a plan costs several times what the statement then does. Use it where a statement
 * that runs at every command takes a list, a limit or the start of a range, and looks its rows up by key.
 * @param parameter with its type, such as `$1::uuid[]`
 */
export const opaque = (parameter: `$${number}::${string}`): string => {
  const [, type = ''] = parameter.split('::');
  return `(select ${parameter})::${type}`;
};
