import type { RunOptions, RunResult, Started } from '@cni/host'
import { type EnterOptions, run } from './enter/runner.ts'
import { exec, start } from './enter/start.ts'
import { warmPool } from './enter/warm-pool.ts'
import type { Netns, NetnsTarget } from './handle/netns.ts'
import { current, open } from './handle/open.ts'
import { bind, create, destroy } from './named/create.ts'

/** Operations on network namespaces: open, create, name, enter, and run programs in them. */
export const netns: {
  /**
   * Opens the network namespace at a path. Throws `NetnsError`: `MISSING` (empty path), `NOT_FOUND`, `NOT_A_NAMESPACE`,
   * `INVALID`, or an errno name.
   *
   * @example
   * using pod = open('/run/netns/cni-7f3a')
   */
  open(path: string): Netns
  /** Opens the network namespace of the calling thread. */
  current(): Netns
  /**
   * Creates an empty namespace with a name, as `ip netns add` does. The caller stays in its own namespace. All links of
   * the new namespace are down. Throws `NetnsError`: `EXISTS`, `INVALID` (name), `NO_FFI`, or an errno name.
   *
   * @example
   * using blue = netns.create('blue')      // now: ip netns exec blue ip link
   */
  create(
    name?: string,
    options?: {
      /** Folder for the bind mount of the named namespace. Default: `/run/netns`, where `ip netns` finds it. */
      dir?: string | undefined
    },
  ): Netns
  /**
   * Gives an open network namespace a name by a bind mount. The mount keeps the namespace alive without processes or
   * handles.
   *
   * @example
   * using kept = netns.bind(pod, '/run/netns/kept')
   */
  bind(namespace: Netns, path: string): Netns
  /**
   * Removes a namespace's name and closes the handle. The namespace ends when no process, handle or name refers to it.
   * A missing name is not an error. Throws `NOT_A_NAMESPACE` for a file that is not a namespace, and keeps the file.
   */
  destroy(namespace: Netns | string): void
  /**
   * Calls a synchronous function with this thread inside the namespace. Calls can be nested. In a nested call, `'host'`
   * is the namespace in which the outermost call began. Throws `NetnsError`: `MISSING`, `CLOSED`, `NO_FFI`,
   * `ASYNC_BODY`, an errno name, or `RESTORE_FAILED`. After `RESTORE_FAILED` the process must exit, because the thread
   * is stuck in the wrong namespace.
   *
   * @example
   * const names = netns.run(pod, () => Object.keys(networkInterfaces()))
   */
  run<T>(
    target: NetnsTarget,
    body: () => T extends PromiseLike<unknown>
      ? 'The body must be synchronous: after its first await it runs in another namespace. Open sockets or start programs inside, and await them outside'
      : T,
    options?: EnterOptions,
  ): T
  /**
   * Starts a program inside a network namespace and returns at once. Await `done` of the result outside of `netns.run`.
   * Without FFI, starts the program through `nsenter` and ignores the option `shield`. Throws a `NetnsError` if the
   * namespace cannot be entered.
   *
   * @example
   * const { done } = netns.start(pod, ['iptables-restore', '--noflush'], { input: text, timeout: 5000 })
   */
  start(target: NetnsTarget, argv: readonly [string, ...string[]], options?: RunOptions & EnterOptions): Started
  /**
   * Runs a program inside a namespace until it exits. Rejects with a `RunError` if the program fails. With `reject:
   * false`, resolves with that error. Rejects with a `NetnsError` if the namespace cannot be entered.
   *
   * @example
   * const { stdout } = await netns.exec(pod, ['iptables-save'])
   */
  exec(
    target: NetnsTarget,
    argv: readonly [string, ...string[]],
    options?: RunOptions & EnterOptions & { reject?: boolean },
  ): Promise<RunResult>
  /**
   * Creates the threads of libuv's pool now, in the current namespace. Pool threads (async fs, DNS, crypto) stay in
   * their first namespace. A long-lived process awaits `warmPool()` once, before its first `netns.run`.
   *
   * @example
   * await netns.warmPool()
   */
  warmPool(): Promise<void>
} = { open, current, create, bind, destroy, run, start, exec, warmPool }
