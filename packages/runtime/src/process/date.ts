import { define } from '../define.ts'
import { refuseAtSnapshot, snapshotting } from '../host.ts'

const engineDate = Date
export const engineNow = Date.now

/** The engine's Date, but for what reads the clock. Stands in for Date while the image is made. */
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

/** Called at each start. */
export function restoreDate(): void {
  define(globalThis, 'Date', engineDate)
  define(engineDate, 'now', engineNow)
}
