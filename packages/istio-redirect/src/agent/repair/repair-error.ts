/** Reason why the agent cannot write the missing rules of a broken pod. */
export class RepairError extends Error {
  static {
    RepairError.prototype.name = 'RepairError'
  }
}
