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

/** Registers functions that run at each start of a heap image. */
export const startupSnapshot = {
  isBuildingSnapshot: (): boolean => snapshotting(),

  setDeserializeMainFunction(main: Callback, data?: unknown): void {
    checkSnapshot()
    setMain(() => main(data))
  },

  /** Registers a function that runs before the heap image is written. A returned promise is awaited. */
  addSerializeCallback(callback: Callback, data?: unknown): void {
    checkSnapshot()
    addWarmUp(() => callback(data))
  },
}

export default { startupSnapshot }
