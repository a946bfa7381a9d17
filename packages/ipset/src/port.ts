import { findExecutable, type RunResult } from '@cni/host'
import { nssShield, start } from '@cni/netns'
import type { Place } from '@cni/netns/handle'
import { type Channel, openNetlink } from '@cni/netns/netlink'

/** Access of this package to the kernel and to the program `ipset`. Tests replace this access by a fake. */
export interface IpsetPort {
  /** Runs a program inside the namespace. Rejects with a `RunError` if the program fails. */
  run(
    argv: readonly [string, ...string[]],
    options: {
      readonly input?: string
      readonly signal?: AbortSignal | undefined
      /** Time limit in milliseconds. After this time, the program and its child processes are killed. */
      readonly timeout: number
    },
  ): Promise<RunResult>
  /** Path of a program on the machine. `undefined` if the program is not installed. */
  find(program: string): string | undefined
  /**
   * Opens a channel to nfnetlink in the namespace. The error codes `NO_FFI`, `EAFNOSUPPORT` and `EPROTONOSUPPORT` mean
   * that netlink is not available. Calls then run the program `ipset`. All calls run the program if this method is
   * missing.
   */
  netlink?(): Channel
}

/** Access to the IP sets. Prevents `ipset` from looking up names over a pod's network. */
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
