import { define } from '../define.ts'
import { refuseAtSnapshot, snapshotting } from '../host.ts'

const engineDate = Date
export const engineNow = Date.now

/** Global Date during the build, which throws for every use that reads the clock. */
const guardedDate = new Proxy(engineDate, {
  apply() {
    refuseAtSnapshot('Date()')
    return engineDate()
  },
  construct(target, args, newTarget) {
    if (args.length === 0) refuseAtSnapshot('new Date()')
    return Reflect.construct(target, args, newTarget)
  },
})

if (snapshotting()) {
  define(globalThis, 'Date', guardedDate)
  define(engineDate, 'now', () => {
    refuseAtSnapshot('Date.now()')
    return engineNow()
  })
}

/** Restores the engine's Date at each start of the program. */
export function restoreDate(): void {
  define(globalThis, 'Date', engineDate)
  define(engineDate, 'now', engineNow)
}
