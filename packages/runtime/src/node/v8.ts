import { coded } from '../errors.ts'
import { snapshotting } from '../host.ts'
import { addWarmUp, setMain } from '../process/lifecycle.ts'

type Callback = (data: unknown) => unknown

function checkSnapshot(): void {
  if (!snapshotting()) {
    throw coded(
      new Error('Operation cannot be invoked when not building startup snapshot'),
      'ERR_NOT_BUILDING_SNAPSHOT',
    )
  }
}

/**
 * Implements Node's `v8.startupSnapshot`: registers functions that run at each start of a program with a startup
 * snapshot.
 */
export const startupSnapshot = {
  isBuildingSnapshot: (): boolean => snapshotting(),

  setDeserializeMainFunction(main: Callback, data?: unknown): void {
    checkSnapshot()
    setMain(() => main(data))
  },

  /** Registers a function that runs before the build writes the program's startup snapshot. */
  addSerializeCallback(callback: Callback, data?: unknown): void {
    checkSnapshot()
    addWarmUp(() => callback(data))
  },
}

export default { startupSnapshot }
