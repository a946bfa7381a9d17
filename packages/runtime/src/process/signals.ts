import { POLLIN, Watcher } from '../loop/descriptors.ts'
import { call } from '../sys/numbers.ts'
import { signalNames, signalNumbers } from '../sys/signal-names.ts'

const SIG_BLOCK = 0
const SIG_UNBLOCK = 1
const SFD_CLOEXEC_NONBLOCK = 0o2004000
/** Size in bytes of the kernel's struct signalfd_siginfo. */
const SIGINFO = 128

const caught = new Set<number>()
let fd = -1

const setOf = (numbers: Iterable<number>): BigUint64Array<ArrayBuffer> => {
  let bits = 0n
  for (const number of numbers) bits |= 1n << BigInt(number - 1)
  return new BigUint64Array([bits])
}

/**
 * Blocks a Unix signal, so that the signal does not interrupt system calls. A descriptor (signalfd) receives the signal
 * instead.
 */
export function catchSignal(name: string, deliver: (name: string, number: number) => void): void {
  const number = signalNumbers[name]
  if (number === undefined || caught.has(number)) return
  caught.add(number)
  call('rt_sigprocmask', SIG_BLOCK, setOf([number]), null, 8)
  const isFirst = fd < 0
  fd = call('signalfd4', fd, setOf(caught), 8, SFD_CLOEXEC_NONBLOCK)
  if (isFirst) new Watcher(fd, POLLIN, () => readSignals(deliver)).unref()
}

/** Unblocks a Unix signal, which restores its default action. */
export function releaseSignal(name: string): void {
  const number = signalNumbers[name]
  if (number === undefined || !caught.delete(number)) return
  call('signalfd4', fd, setOf(caught), 8, SFD_CLOEXEC_NONBLOCK)
  call('rt_sigprocmask', SIG_UNBLOCK, setOf([number]), null, 8)
}

/**
 * Returns the descriptor (signalfd) that receives the Unix signals for which the program has listeners. Returns -1
 * without listeners.
 */
export const signalDescriptor = (): number => (caught.size === 0 ? -1 : fd)

function readSignals(deliver: (name: string, number: number) => void): void {
  const info = new Uint8Array(SIGINFO)
  while (call('read', fd, info, SIGINFO) === SIGINFO) {
    const number = info[0] ?? 0
    const name = signalNames[number]
    if (name !== undefined) deliver(name, number)
  }
}
