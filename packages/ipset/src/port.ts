import { findExecutable, type RunResult } from '@cni/host'
import { nssShield, start } from '@cni/netns'
import type { Place } from '@cni/netns/handle'
import { type Channel, openNetlink } from '@cni/netns/netlink'

/** All access of this package to the outside. */
export interface IpsetPort {
  /** Runs a program inside the namespace. Rejects with a `RunError` if it fails. */
  run(
    argv: readonly [string, ...string[]],
    options: {
      readonly input?: string
      readonly signal?: AbortSignal | undefined
      /** Milliseconds until the program's process group is killed. */
      readonly timeout: number
    },
  ): Promise<RunResult>
  /** Path of a program; `undefined` if it is not installed. */
  find(program: string): string | undefined
  /**
   * Opens a channel to nfnetlink in the namespace. If netlink is not available, throws an error with the `code`
   * `NO_FFI`, `EAFNOSUPPORT` or `EPROTONOSUPPORT`; then programs are used. A port without this method always uses
   * programs.
   */
  netlink?(): Channel
}

/** Port of a namespace: netlink, and the node's `ipset` inside of it. Prevents name lookups of the program in a pod. */
export function netnsPort({ netns, log }: Place): IpsetPort {
  const shield = netns === 'host' ? undefined : nssShield()
  const onShieldError = (error: unknown) =>
    log?.debug('ipset runs without its shield from nsswitch.conf', { error: String(error) })
  const { PATH } = process.env
  return {
    run: (argv, { input, signal, timeout }) =>
      start(netns, argv, {
        env: PATH === undefined ? {} : { PATH },
        signal,
        timeout,
        ...(input === undefined ? undefined : { input }),
        ...(shield === undefined ? undefined : { shield, onShieldError }),
      }).done,
    find: (program) => findExecutable(program),
    netlink: () => openNetlink(netns, 'netfilter'),
  }
}
