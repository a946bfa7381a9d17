/** A pod that cannot be repaired in place, and why. */
export class RepairError extends Error {
  static {
    RepairError.prototype.name = 'RepairError'
  }
}
