import { define } from '../define.ts'
import { refuseAtSnapshot } from '../host.ts'
import { call } from '../sys/numbers.ts'

const words = new Uint32Array(2)

/** Uses the kernel's random numbers, because the engine's would be the same at every start. */
define(Math, 'random', function random(): number {
  refuseAtSnapshot('Math.random()')
  call('getrandom', words, 8, 0)
  const [high = 0, low = 0] = words
  return (high * 2 ** 21 + (low >>> 11)) / 2 ** 53
})
