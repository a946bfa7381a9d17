import { closeSync } from 'node:fs'
import {
  findExecutable,
  isRunError,
  type RunOptions,
  type RunResult,
  type Started,
  start as startHere,
} from '@cni/host'
import type { NetnsTarget } from '../handle/netns.ts'
import { NetnsError } from '../handle/netns-error.ts'
import { tryLoadSys } from '../sys/load-sys.ts'
import { type EnterOptions, run } from './runner.ts'
import { assertTarget, targetName } from './target.ts'
import { otherUserNamespace } from './user-namespace.ts'

/**
 * Starts a program inside a network namespace and returns at once. Await `done` of the result outside of `netns.run`.
 * Without FFI, starts the program through `nsenter` and ignores the option `shield`. Throws a `NetnsError` if the
 * namespace cannot be entered.
 *
 * @example const { done } = netns.start(pod, ['iptables-restore', '--noflush'], { input: text, timeout: 5000 })
 */
export function start(
  target: NetnsTarget,
  argv: readonly [string, ...string[]],
  options: RunOptions & EnterOptions = {},
): Started {
  const { shield, onShieldError, ...rest } = options
  assertTarget(target)
  const shielded = shield !== undefined && shield.length > 0
  if (tryLoadSys() !== undefined || (target === 'host' && !shielded)) {
    const owner = target === 'host' ? undefined : otherUserNamespace(target)
    if (owner !== undefined) return startOwned(target, owner, argv, options)
    return run(target, () => startHere(argv, rest), { shield, onShieldError })
  }
  if (shielded) onShieldError?.(new NetnsError('NO_FFI', 'The shield needs FFI: install the package koffi'))
  return target === 'host' ? startHere(argv, rest) : startHere(throughNsenter(target.fd, argv, rest), rest)
}

/**
 * Runs a program inside a namespace until it exits. Rejects with a `RunError` if the program fails. With `reject:
 * false`, resolves with that error. Rejects with a `NetnsError` if the namespace cannot be entered.
 *
 * @example
 * const { stdout } = await netns.exec(pod, ['iptables-save'])
 */
export async function exec(
  target: NetnsTarget,
  argv: readonly [string, ...string[]],
  options: RunOptions & EnterOptions & { reject?: boolean } = {},
): Promise<RunResult> {
  const { reject = true, ...rest } = options
  try {
    return await start(target, argv, rest).done
  } catch (error) {
    if (reject || !isRunError(error)) throw error
    return error
  }
}

/** Starts a program through `nsenter`, because only a new process can enter a user namespace. */
function startOwned(
  target: NetnsTarget,
  owner: number,
  argv: readonly [string, ...string[]],
  options: RunOptions & EnterOptions,
): Started {
  const { shield, onShieldError, ...rest } = options
  const close = () => closeSync(owner)
  try {
    const [name, ...args] = argv
    const path = (rest.env ?? process.env).PATH
    const file = name.includes('/') ? name : findExecutable(name, path)
    if (findExecutable('nsenter', path) === undefined) {
      const why = `${targetName(target)} belongs to a user namespace of its own (hostUsers: false)`
      throw new NetnsError('NO_NSENTER', `${why}: install the program nsenter (package util-linux)`)
    }
    const through = ['nsenter', `--user=/proc/${process.pid}/fd/${owner}`, '--', file ?? name, ...args] as const
    // Searches PATH for the program first, because `nsenter` would report a missing program as its own failure.
    const started = run(target, () => startHere(file === undefined ? argv : through, rest), { shield, onShieldError })
    void started.done.then(close, close)
    return started
  } catch (error) {
    close()
    throw error
  }
}

/** Arguments for `nsenter` with an open descriptor, because the namespace's path may have changed. */
export function throughNsenter(
  fd: number,
  argv: readonly [string, ...string[]],
  options: RunOptions,
): readonly [string, ...string[]] {
  const [name, ...args] = argv
  const path = (options.env ?? process.env).PATH
  // Searches PATH for the program first, because `nsenter` would report a missing program as its own failure.
  const file = findExecutable(name, path)
  if (file === undefined) return argv
  return ['nsenter', `--net=/proc/${process.pid}/fd/${fd}`, '--', file, ...args]
}
