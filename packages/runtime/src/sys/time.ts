import { host, refuseAtSnapshot } from '../host.ts'

let start = 0

/** Stores the start time of the process, from which `process.uptime` counts. */
export function startClock(): void {
  start = host.now()
}

export const sinceStart = (): number => host.now() - start

export const uptime = (): number => sinceStart() / 1000

function read(previous?: readonly [number, number]): [number, number] {
  refuseAtSnapshot('process.hrtime()')
  const now = host.now()
  const seconds = Math.floor(now / 1000)
  const nanos = Math.floor((now % 1000) * 1e6)
  if (previous === undefined) return [seconds, nanos]
  const [s, n] = [seconds - previous[0], nanos - previous[1]]
  return n < 0 ? [s - 1, n + 1e9] : [s, n]
}

export const hrtime = Object.assign(read, {
  bigint(): bigint {
    refuseAtSnapshot('process.hrtime.bigint()')
    return BigInt(Math.floor(host.now() * 1e6))
  },
})
