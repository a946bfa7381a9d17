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

/** Runs at each start. Drops values of the build process that the startup snapshot contains. */
function boot(): void {
  startClock()
  restoreDate()
  process.reset()
  // Ignores SIGPIPE, so that a write to a closed pipe fails with EPIPE.
  call('rt_sigaction', SIGPIPE, new BigUint64Array([SIG_IGN, 0n, 0n, 0n]), null, SIGSET_SIZE)
}

let isEnding = false

/** Runs one step of the event loop. Exits when no work is left, unless listeners of `beforeExit` start new work. */
function loop(hasJobs = false): boolean {
  if (isEnding && isAlive()) isEnding = false
  if (step(hasJobs) || hasJobs) return true
  if (isEnding) return process.exit()
  isEnding = true
  process.emit('beforeExit', Number(process.exitCode ?? 0))
  return true
}

let registered: (() => unknown) | undefined

/** Registers the program's main function, which runs at each start after the startup snapshot is loaded. */
export function setMain(main: () => unknown): void {
  registered = main
  host.main = () => {
    rejectAsException(main())
    runTicks()
  }
}

/** Returns and removes the main function, because an executable may contain several programs. */
export function takeMain(): (() => unknown) | undefined {
  const main = registered
  registered = undefined
  host.main = undefined
  return main
}

/** Turns a rejected promise of the program's main function into an uncaught exception. */
function rejectAsException(result: unknown): void {
  if (result instanceof Promise) result.catch((error: unknown) => crash(error, 'unhandledRejection'))
}

/** Functions that the build runs in order before it writes the program's startup snapshot. */
const warmUps: (() => unknown)[] = []

export function addWarmUp(warmUp: () => unknown): void {
  warmUps.push(warmUp)
  host.warm = async () => {
    for (const one of warmUps) await one()
  }
}

/**
 * Ends the program after an uncaught error, but not after an interruption by `setDeadline`. A timer callback handles
 * that interruption.
 */
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
