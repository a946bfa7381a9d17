import { host } from '../host.ts'
import { isAlive, step } from '../loop/loop.ts'
import { watchRejections } from '../loop/rejections.ts'
import { runTicks } from '../loop/ticks.ts'
import { call } from '../sys/numbers.ts'
import { startClock } from '../sys/time.ts'
import { crash, crashRejection } from './crash.ts'
import { restoreDate } from './date.ts'
import { process } from './process.ts'

const SIGPIPE = 13
const SIG_IGN = 1n
const SIGSET_SIZE = 8

/** Runs at each start before the program. Drops state of the process that made the heap image. */
function boot(): void {
  startClock()
  restoreDate()
  process.reset()
  // Ignores SIGPIPE: a write to a closed pipe fails with EPIPE. Layout of the kernel's struct sigaction: handler,
  // flags, restorer, mask.
  call('rt_sigaction', SIGPIPE, new BigUint64Array([SIG_IGN, 0n, 0n, 0n]), null, SIGSET_SIZE)
}

let isEnding = false

/**
 * One step of the event loop. When no work is left, listeners of `beforeExit` may start new work; otherwise the process
 * exits.
 */
function loop(hasJobs = false): boolean {
  if (isEnding && isAlive()) isEnding = false
  if (step(hasJobs) || hasJobs) return true
  if (isEnding) return process.exit()
  isEnding = true
  process.emit('beforeExit', Number(process.exitCode ?? 0))
  return true
}

let registered: (() => unknown) | undefined

/** Registers the main function, which each start of the heap image runs. */
export function setMain(main: () => unknown): void {
  registered = main
  host.main = () => {
    rejectAsException(main())
    runTicks()
  }
}

/**
 * Returns the registered main function and removes it. Another program in the same file can then register its own
 * function.
 */
export function takeMain(): (() => unknown) | undefined {
  const main = registered
  registered = undefined
  host.main = undefined
  return main
}

/** Turns a rejection of the main function into an uncaught exception. */
function rejectAsException(result: unknown): void {
  if (result instanceof Promise) result.catch((error: unknown) => crash(error, 'unhandledRejection'))
}

/** Functions that `host.warm` runs in order before the image is written. */
const warmUps: (() => unknown)[] = []

export function addWarmUp(warmUp: () => unknown): void {
  warmUps.push(warmUp)
  host.warm = async () => {
    for (const one of warmUps) await one()
  }
}

/** Ignores an interruption by the deadline, because the program's own timer for the deadline is then due. */
function crashUnlessInterrupted(error: unknown, interrupted?: boolean): void {
  if (!interrupted) crash(error)
}

export function installLifecycle(): void {
  watchRejections({
    unhandled: crashRejection,
    handledLate: (promise) => void process.emit('rejectionHandled', promise),
  })
  host.boot = boot
  host.loop = loop
  host.crash = (error, interrupted) => crashUnlessInterrupted(error, interrupted)
}
