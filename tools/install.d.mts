/** A failure that is shown as its message, without a stack. */
export class UserError extends Error {}
