import { closeSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'
import { NetnsError } from '../handle/netns-error.ts'
import { SOCK_CLOEXEC } from '../sys/constants.ts'
import { checked, socketCalls } from './socket-calls.ts'

/** Something came, or can be accepted. */
export const READABLE = 0x1
/** Something can be sent again. */
export const WRITABLE = 0x4
/** The peer will send no more (EPOLLERR, EPOLLHUP, EPOLLRDHUP). */
export const OVER = 0x8 | 0x10 | 0x2000

const RDHUP = 0x2000

/** A watched descriptor. */
export interface Watch {
  /** From now on, hear of {@link WRITABLE}, too, or no more. */
  writable(wanted: boolean): void
  /** Look once more, soon: what was there has not all been read. */
  again(): void
  /** Before the descriptor is closed. */
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
/** struct epoll_event: x64 packs it. */
const [EVENT_SIZE, DATA_AT] = process.arch === 'x64' ? [12, 4] : [16, 8]

/**
 * No runtime can be told to watch a descriptor of ours: `node:net` takes streams only, and reads them itself. But the
 * kernel sends a signal when one becomes ready (O_ASYNC), and signals are events everywhere. It is SIGURG, which is
 * ignored by default (so nobody dies of one that comes late), interrupts no call for long, and which nobody needs; Go
 * uses it between its threads for the same reasons. It does not say what is ready: epoll does, without waiting.
 */
interface Watcher {
  readonly epoll: number
  readonly callbacks: Map<number, (events: number) => void>
  /** A signal handler alone would not keep the process alive. */
  readonly alive: NodeJS.Timeout
}

let watcher: Watcher | undefined
let isLookDue = false

/**
 * Calls back when a descriptor is ready, until it is ended. It may call for no reason, and calls again as long as there
 * is one only when something new happens: read until there is nothing, or ask to look again.
 */
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
  // What happened before the signals were asked for.
  lookSoon()
  return {
    writable(wanted) {
      interest.writeUInt32LE(READABLE | RDHUP | (wanted ? WRITABLE : 0), 0)
      control(EPOLL_CTL_MOD)
      // It may have become so between the attempt that failed and now.
      if (wanted) lookSoon()
    },
    again: lookSoon,
    end,
  }
}

function begin(): Watcher {
  if (!isMainThread) {
    throw new NetnsError(
      'NOT_MAIN_THREAD',
      'Sockets are watched by a signal, which workers do not get: use them on the main thread',
    )
  }
  const epoll = checked(socketCalls().functions.epoll_create1(SOCK_CLOEXEC), 'epoll_create1', '')
  process.on(SIGNAL, look)
  watcher = { epoll, callbacks: new Map(), alive: setInterval(() => {}, 0x7fff_ffff) }
  return watcher
}

function finish(own: Watcher): void {
  process.off(SIGNAL, look)
  clearInterval(own.alive)
  closeSync(own.epoll)
  watcher = undefined
}

function lookSoon(): void {
  if (isLookDue) return
  isLookDue = true
  setImmediate(look)
}

let events = Buffer.alloc(0)

function look(): void {
  isLookDue = false
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
      // A callback before may have closed this one, and its number be another's.
      if (ready !== undefined && callbacks.get(fd) === ready) ready(which)
    }
    isDone = true
  } finally {
    // The others are ready as before, and no signal will say so again.
    if (!isDone) lookSoon()
  }
}
