import { findExecutable, type RunResult } from '@cni/host'
import { nssShield, start } from '@cni/netns'
import type { Place } from '@cni/netns/handle'
import { type Channel, openNetlink } from '@cni/netns/netlink'

/** Everything that this package does to the outside world. */
export interface IpsetPort {
  /** Runs a program inside the namespace; rejects with a `RunError` when it fails. */
  run(
    argv: readonly [string, ...string[]],
    options: {
      readonly input?: string
      readonly signal?: AbortSignal | undefined
      /** Milliseconds until the program's process group is killed. */
      readonly timeout: number
    },
  ): Promise<RunResult>
  /** The path of a program, `undefined` when it is not installed. */
  find(program: string): string | undefined
  /**
   * Opens a channel to nfnetlink in the namespace. `NO_FFI`, `EAFNOSUPPORT` or `EPROTONOSUPPORT` as the `code` of what it
   * throws says that there is none, and programs are run; as they are for a port without this.
   */
  netlink?(): Channel
}

/** The real port: ip_set of a namespace, and the node's `ipset`, run inside it. The program would look up host names: in a pod that never happens. */
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
