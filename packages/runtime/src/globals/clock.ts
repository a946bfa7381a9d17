import { define } from '../define.ts'
import { refuseAtSnapshot } from '../host.ts'
import { engineNow } from '../process/date.ts'
import { sinceStart } from '../sys/time.ts'

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
