import { closeSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'
import { NetnsError } from '../handle/netns-error.ts'
import { SOCK_CLOEXEC } from '../sys/constants.ts'
import { checked, socketCalls } from './socket-calls.ts'

/** Event flag: data has arrived on the socket, or a connection can be accepted. */
export const READABLE = 0x1
/** Event flag: the socket can send data again. */
export const WRITABLE = 0x4
/** Event flags that mean that the socket's peer will send nothing more (EPOLLERR, EPOLLHUP, EPOLLRDHUP). */
export const HANGUP = 0x8 | 0x10 | 0x2000

const RDHUP = 0x2000

/** Descriptor that epoll watches for a caller. */
export interface Watch {
  /** Turns reports of a writable descriptor ({@link WRITABLE}) on if `wanted` is true, otherwise off. */
  writable(wanted: boolean): void
  /** Requests another call of `ready` soon, for a caller that has not read all data. */
  again(): void
  /** Stops watching the descriptor. Call `end` before closing the descriptor. */
  end(): void
}

const F_SETFL = 4
const F_SETOWN = 8
const F_SETSIG = 10
const O_RDWR = 2
const O_NONBLOCK = 0x800
const O_ASYNC = 0x2000
const SIGNAL = 'SIGURG'
const SIGNAL_NUMBER = 23

const EPOLL_CTL_ADD = 1
const EPOLL_CTL_DEL = 2
const EPOLL_CTL_MOD = 3
/** Size of the kernel's struct epoll_event and offset of its member `data`. The struct is packed on x64. */
const [EVENT_SIZE, DATA_AT] = process.arch === 'x64' ? [12, 4] : [16, 8]

/** Watches descriptors with epoll and SIGURG. JavaScript runtimes can watch only descriptors that they opened. */
interface Watcher {
  readonly epoll: number
  readonly callbacks: Map<number, (events: number) => void>
  /**
   * Timer that keeps the process alive while descriptors are watched. A signal handler alone does not keep the process
   * alive.
   */
  readonly alive: NodeJS.Timeout
}

let watcher: Watcher | undefined
let isPollDue = false

/** Calls `ready` when a descriptor becomes ready. The callback must read all data, or call `again`. */
export function watch(fd: number, ready: (events: number) => void): Watch {
  const own = watcher ?? begin()
  const interest = Buffer.alloc(EVENT_SIZE)
  interest.writeUInt32LE(READABLE | RDHUP, 0)
  interest.writeInt32LE(fd, DATA_AT)
  const { functions } = socketCalls()
  const control = (operation: number) =>
    checked(functions.epoll_ctl(own.epoll, operation, fd, interest), 'epoll_ctl', `of ${fd}`)
  own.callbacks.set(fd, ready)
  const end = () => {
    if (own.callbacks.get(fd) !== ready) return
    functions.epoll_ctl(own.epoll, EPOLL_CTL_DEL, fd, null)
    own.callbacks.delete(fd)
    if (own.callbacks.size === 0) finish(own)
  }
  try {
    control(EPOLL_CTL_ADD)
    const set = (command: number, value: number) => checked(functions.fcntl(fd, command, value), 'fcntl', `of ${fd}`)
    set(F_SETSIG, SIGNAL_NUMBER)
    set(F_SETOWN, process.pid)
    set(F_SETFL, O_RDWR | O_NONBLOCK | O_ASYNC)
  } catch (error) {
    end()
    throw error
  }
  // Asks epoll once, because some events may have happened before the kernel was set to send signals.
  pollSoon()
  return {
    writable(wanted) {
      interest.writeUInt32LE(READABLE | RDHUP | (wanted ? WRITABLE : 0), 0)
      control(EPOLL_CTL_MOD)
      // Asks epoll once, because the socket may have become writable since the last attempt to send.
      if (wanted) pollSoon()
    },
    again: pollSoon,
    end,
  }
}

function begin(): Watcher {
  if (!isMainThread) {
    throw new NetnsError(
      'NOT_MAIN_THREAD',
      'Watching a socket needs a signal, which worker threads do not receive: use the socket on the main thread',
    )
  }
  const epoll = checked(socketCalls().functions.epoll_create1(SOCK_CLOEXEC), 'epoll_create1', '')
  process.on(SIGNAL, poll)
  watcher = { epoll, callbacks: new Map(), alive: setInterval(() => {}, 0x7fff_ffff) }
  return watcher
}

function finish(own: Watcher): void {
  process.off(SIGNAL, poll)
  clearInterval(own.alive)
  closeSync(own.epoll)
  watcher = undefined
}

function pollSoon(): void {
  if (isPollDue) return
  isPollDue = true
  setImmediate(poll)
}

let events = Buffer.alloc(0)

function poll(): void {
  isPollDue = false
  if (watcher === undefined) return
  const { epoll, callbacks } = watcher
  const most = callbacks.size
  if (events.length < EVENT_SIZE * most) events = Buffer.alloc(2 * EVENT_SIZE * most)
  const count = socketCalls().functions.epoll_wait(epoll, events, most, 0)
  const found: [fd: number, events: number, ready: ((events: number) => void) | undefined][] = []
  for (let index = 0; index < count; index++) {
    const at = EVENT_SIZE * index
    const fd = events.readInt32LE(at + DATA_AT)
    found.push([fd, events.readUInt32LE(at), callbacks.get(fd)])
  }
  let isDone = false
  try {
    for (const [fd, which, ready] of found) {
      // Skips a callback whose watch has ended, because a new file may have the same descriptor number.
      if (ready !== undefined && callbacks.get(fd) === ready) ready(which)
    }
    isDone = true
  } finally {
    // Schedules the remaining callbacks after one throws, because the kernel sends no second signal.
    if (!isDone) pollSoon()
  }
}
