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

/** Runs at each start, before the program: forgets what belongs to the start that made the image. */
function boot(): void {
  startClock()
  restoreDate()
  process.reset()
  // A write to a closed pipe is EPIPE. struct sigaction of the kernel: handler, flags, restorer, mask.
  call('rt_sigaction', SIGPIPE, new BigUint64Array([SIG_IGN, 0n, 0n, 0n]), null, SIGSET_SIZE)
}

let isEnding = false

/** One step of the loop. When nothing is left to wait for, `beforeExit` may start more; otherwise the process ends. */
function loop(hasJobs = false): boolean {
  if (isEnding && isAlive()) isEnding = false
  if (step(hasJobs) || hasJobs) return true
  if (isEnding) return process.exit()
  isEnding = true
  process.emit('beforeExit', Number(process.exitCode ?? 0))
  return true
}

let registered: (() => unknown) | undefined

/** Registers what a start of the image runs. */
export function setMain(main: () => unknown): void {
  registered = main
  host.main = () => {
    rejectAsException(main())
    runTicks()
  }
}

/** Returns what is registered and forgets it, so that another program of the same file can register. */
export function takeMain(): (() => unknown) | undefined {
  const main = registered
  registered = undefined
  host.main = undefined
  return main
}

/** A promise of the main function that rejects ends the process as an exception does. */
function rejectAsException(result: unknown): void {
  if (result instanceof Promise) result.catch((error: unknown) => crash(error, 'unhandledRejection'))
}

/** Functions that `host.warm` runs before the image is written, in order. */
const warmUps: (() => unknown)[] = []

export function addWarmUp(warmUp: () => unknown): void {
  warmUps.push(warmUp)
  host.warm = async () => {
    for (const one of warmUps) await one()
  }
}

/** After an interruption by the deadline the program goes on: its own timer is due. */
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
