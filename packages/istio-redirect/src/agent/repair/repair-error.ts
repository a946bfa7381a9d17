/** Reason why a pod cannot be repaired in place. */
export class RepairError extends Error {
  static {
    RepairError.prototype.name = 'RepairError'
  }
}
