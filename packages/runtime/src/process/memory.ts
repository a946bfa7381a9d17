import { host } from '../host.ts'
import { call } from '../sys/numbers.ts'

const PAGE = 4096
const O_CLOEXEC = 0o2000000
const AT_FDCWD = -100

/** Reads the number of resident memory pages from /proc/self/statm. Returns 0 without /proc. */
function rss(): number {
  const fd = call('openat', AT_FDCWD, '/proc/self/statm', O_CLOEXEC, 0)
  if (fd < 0) return 0
  const buffer = new Uint8Array(128)
  const length = call('read', fd, buffer, buffer.length)
  call('close', fd)
  return Number(host.decode(buffer, 0, Math.max(0, length)).split(' ')[1] ?? 0) * PAGE
}

export const memoryUsage = Object.assign(
  () => ({ rss: rss(), heapTotal: 0, heapUsed: 0, external: 0, arrayBuffers: 0 }),
  { rss },
)
