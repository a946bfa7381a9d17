import { define } from '../define.ts'
import { refuseAtSnapshot, snapshotting } from '../host.ts'
import { sinceStart } from '../process/time.ts'

const engineDate = Date
const engineNow = Date.now

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

export const performance = {
  now(): number {
    refuseAtSnapshot('performance.now()')
    return sinceStart()
  },
  get timeOrigin(): number {
    refuseAtSnapshot('performance.timeOrigin')
    return engineNow() - sinceStart()
  },
  toJSON(): { timeOrigin: number } {
    return { timeOrigin: this.timeOrigin }
  },
}

define(globalThis, 'performance', performance)
