/** A rule cannot be checked here; the message says why. */
export class NotChecked extends Error {
  override readonly name = 'NotChecked';
}

/** A rule is broken in a way that leaves nothing else to check. */
export class Broken extends Error {
  override readonly name = 'Broken';
}
