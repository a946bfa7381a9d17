import type { RunOptions, RunResult, Started } from '@cni/host'
import { type EnterOptions, run } from './enter/runner.ts'
import { exec, start } from './enter/start.ts'
import { warmPool } from './enter/warm-pool.ts'
import type { Netns, NetnsTarget } from './handle/netns.ts'
import { current, open } from './handle/open.ts'
import { bind, create, destroy } from './named/create.ts'

/** Everything one does with a network namespace. */
export const netns: {
  /**
   * Opens the network namespace at a path.
   * Throws `NetnsError`: `MISSING` (empty path), `NOT_FOUND`, `NOT_A_NAMESPACE`, `INVALID`, or an errno name.
   *
   * @example
   * using pod = open('/run/netns/cni-7f3a')
   */
  open(path: string): Netns
  /** Opens the namespace of the calling thread. */
  current(): Netns
  /**
   * Creates an empty namespace with a name, as `ip netns add` does. The caller stays where it is; all links are down.
   * Throws `NetnsError`: `EXISTS`, `INVALID` (name), `NO_FFI`, or an errno name; nothing is left behind then.
   *
   * @example
   * using blue = netns.create('blue')      // now: ip netns exec blue ip link
   */
  create(
    name?: string,
    options?: {
      /** The folder that holds the name. Default: `/run/netns`, where `ip netns` finds it. */
      dir?: string | undefined
    },
  ): Netns
  /**
   * Gives an open namespace a name in the file system, so that it lives without processes or handles.
   *
   * @example
   * using kept = netns.bind(pod, '/run/netns/kept')
   */
  bind(namespace: Netns, path: string): Netns
  /**
   * Removes a namespace's name and closes the handle. The namespace ends when nothing else holds it.
   * A name that does not exist is no error; a file that is not a namespace is left alone (`NOT_A_NAMESPACE`).
   */
  destroy(namespace: Netns | string): void
  /**
   * Calls a synchronous function with this thread inside the namespace, and comes back. May be nested;
   * `'host'` inside a body is where the outermost call came from.
   * Throws `NetnsError`: `MISSING`, `CLOSED`, `NO_FFI`, `ASYNC_BODY`, an errno name, or `RESTORE_FAILED`:
   * then the thread is stuck in the wrong namespace, every later call throws the same, and the process must end.
   *
   * @example
   * const names = netns.run(pod, () => Object.keys(networkInterfaces()))
   */
  run<T>(
    target: NetnsTarget,
    body: () => T extends PromiseLike<unknown>
      ? 'The body has to be synchronous: after its first await it is in another namespace. Open sockets or start programs in it, and await outside'
      : T,
    options?: EnterOptions,
  ): T
  /**
   * Starts a program inside a namespace and returns at once; await `done` outside.
   * Without FFI it goes through `nsenter`, unshielded. Throws a `NetnsError` when the namespace cannot be entered.
   *
   * @example
   * const { done } = netns.start(pod, ['iptables-restore', '--noflush'], { input: text, timeout: 5000 })
   */
  start(target: NetnsTarget, argv: readonly [string, ...string[]], options?: RunOptions & EnterOptions): Started
  /**
   * Runs a program inside a namespace to its end. Rejects with a `RunError`, or with `reject: false` resolves with it;
   * rejects with a `NetnsError` when the namespace cannot be entered.
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
   * Creates the threads of libuv's pool now, in the namespace we are in. A long-lived process awaits this once,
   * before its first `netns.run`: pool threads (async fs, DNS, crypto) keep the namespace they were born in for ever.
   *
   * @example
   * await netns.warmPool()
   */
  warmPool(): Promise<void>
} = { open, current, create, bind, destroy, run, start, exec, warmPool }
