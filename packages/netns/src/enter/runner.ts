import { closeSync, constants, openSync } from 'node:fs'
import type { NetnsTarget } from '../handle/netns.ts'
import { NetnsError } from '../handle/netns-error.ts'
import { CLONE_NEWNET } from '../sys/constants.ts'
import { loadSys } from '../sys/load-sys.ts'
import { isSysError, type Sys, type SysError } from '../sys/sys.ts'
import { fakeRefusal } from './fake.ts'
import { assertNotPromise, assertSynchronous, type NotPromise } from './not-promise.ts'
import { privilegeHint } from './privileges.ts'
import { raiseShield } from './shield.ts'
import { assertTarget, targetName } from './target.ts'

/** Options of `netns.run`. */
export interface EnterOptions {
  /**
   * Read-only bind mounts that replace files (`target`) by other files (`source`). Only the function and the processes
   * that it starts see the mounts. All files must exist.
   */
  shield?: readonly { readonly source: string; readonly target: string }[] | undefined
  /**
   * Called if the bind mounts of `shield` fail. `run` continues without the mounts. An error thrown by the callback
   * reaches the caller of `run`.
   */
  onShieldError?: ((error: unknown) => void) | undefined
}

/** Operations that run a function in a network namespace and then return the thread to the previous namespace. */
export interface Runner {
  /**
   * Calls a synchronous function with this thread inside the namespace. Calls can be nested. In a nested call, `'host'`
   * is the namespace in which the outermost call began. Throws `NetnsError`: `MISSING`, `CLOSED`, `NO_FFI`,
   * `ASYNC_BODY`, an errno name, or `RESTORE_FAILED`. After `RESTORE_FAILED` the process must exit, because the thread
   * is stuck in the wrong namespace.
   *
   * @example
   * const names = netns.run(pod, () => Object.keys(networkInterfaces()))
   */
  run<T>(target: NetnsTarget, body: () => NotPromise<T>, options?: EnterOptions): T
  /** Calls a function with this thread in a new, empty network namespace, then moves the thread back. */
  runInNew<T>(body: (sys: Sys) => T): T
}

/** Creates the operations `run` and `runInNew` over the given system calls. Tests pass a `Sys` whose calls fail. */
export function createRunner(load: () => Sys): Runner {
  const entered: number[] = []
  let stranded: NetnsError | undefined

  return {
    run(target, body, options = {}) {
      if (stranded) throw stranded
      assertTarget(target)
      assertSynchronous(body)
      const shielded = options.shield !== undefined && options.shield.length > 0
      if (target === 'host' && entered.length === 0 && !shielded) return checked(body())
      const sys = unlessFake(target, load)
      const value = runInside(
        sys,
        targetName(target),
        (here) => unlessFake(target, () => setns(sys, target, entered[0] ?? here)),
        () => {
          const lower = shielded ? tryShield(sys, options) : undefined
          return attempt(body, lower)
        },
      )
      return checked(value)
    },
    runInNew(body) {
      if (stranded) throw stranded
      const sys = load()
      return runInside(
        sys,
        'a new namespace',
        () => sys.unshare(CLONE_NEWNET),
        () => body(sys),
      )
    },
  }

  function runInside<T>(sys: Sys, name: string, enter: (here: number) => void, body: () => T): T {
    const here = openSync('/proc/thread-self/ns/net', constants.O_RDONLY)
    try {
      enterOrThrow(name, () => enter(here))
      entered.push(here)
      return attempt(body, () => {
        entered.pop()
        sys.setns(here, CLONE_NEWNET)
      })
    } finally {
      closeSync(here)
    }
  }

  /**
   * Calls `body`, then `back`, which returns the thread to its previous namespace. Calls `back` even if `body` throws.
   */
  function attempt<T>(body: () => T, back: (() => void) | undefined): T {
    let outcome: { value: T } | { error: unknown }
    try {
      outcome = { value: body() }
    } catch (error) {
      outcome = { error }
    }
    try {
      back?.()
    } catch (error) {
      const cause = 'error' in outcome ? new AggregateError([error, outcome.error]) : error
      stranded ??= new NetnsError(
        'RESTORE_FAILED',
        `Could not return to the previous network namespace (${String(error)}): this process is in the wrong namespace and must exit`,
        { cause },
      )
      throw stranded
    }
    if ('error' in outcome) throw outcome.error
    return outcome.value
  }
}

const runner = createRunner(loadSys)

/** Calls a synchronous function with this thread inside the namespace, then returns, as `netns.run` does. */
export function run<T>(
  target: NetnsTarget,
  body: () => T extends PromiseLike<unknown>
    ? 'The body must be synchronous: after its first await it runs in another namespace. Open sockets or start programs inside, and await them outside'
    : T,
  options?: EnterOptions,
): T {
  return runner.run(target, body, options)
}

/** Calls a function with this thread in a new, empty network namespace, then moves the thread back. */
export function runInNew<T>(body: (sys: Sys) => T): T {
  return runner.runInNew(body)
}

function setns(sys: Sys, target: NetnsTarget, host: number): void {
  sys.setns(target === 'host' ? host : target.fd, CLONE_NEWNET)
}

/** Calls `act`. If `act` fails for a fake namespace, the error says that no thread can enter that namespace. */
function unlessFake<T>(target: NetnsTarget, act: () => T): T {
  try {
    return act()
  } catch (error) {
    throw fakeRefusal(target, error) ?? error
  }
}

function enterOrThrow(name: string, enter: () => void): void {
  try {
    enter()
  } catch (cause) {
    if (!isSysError(cause)) throw cause
    const why = `${cause.message}${privilegeHint(cause.code, 'CAP_SYS_ADMIN')}`
    throw new NetnsError(cause.code, `Could not enter ${name}: ${why}`, { cause })
  }
}

function tryShield(sys: Sys, options: EnterOptions): (() => void) | undefined {
  try {
    return raiseShield(sys, options.shield ?? [])
  } catch (error) {
    options.onShieldError?.(isSysError(error) ? noShield(error) : error)
    return undefined
  }
}

function noShield(cause: SysError): NetnsError {
  const hint = privilegeHint(cause.code, 'CAP_SYS_ADMIN', 'CAP_SYS_CHROOT')
  return new NetnsError(cause.code, `No shield: ${cause.message}${hint}`, { cause })
}

function checked<T>(value: T | NotPromise<T>): T {
  assertNotPromise<T>(value)
  return value
}
