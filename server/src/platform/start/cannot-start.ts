/** A reason why the program can't start that a person can fix: its message is shown alone, without a stack. */
export class CannotStart extends Error {
  override readonly name = 'CannotStart';
}
