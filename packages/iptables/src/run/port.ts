import type { RunResult } from '@cni/host'
import type { Nft } from '@cni/nftables/wire'

/** Access of this package to programs, files and the kernel. Tests use `fakeIptables()` of `@cni/iptables/testing`. */
export interface IptablesPort {
  /** Runs an iptables program inside the namespace. Rejects with a `RunError` if the program fails. */
  run(
    argv: readonly [string, ...string[]],
    options: {
      readonly input?: string
      readonly signal?: AbortSignal | undefined
      /** Time limit for the program in milliseconds. Afterwards, its process group is killed. */
      readonly timeout: number
    },
  ): Promise<RunResult>
  /**
   * Runs a program that makes `commits` transactions of the nft back end. Resolves once the kernel has committed them,
   * before the program exits. Rejects with a `RunError` if the program fails.
   */
  runUntilCommitted?(
    argv: readonly [string, ...string[]],
    options: Parameters<IptablesPort['run']>[1] & { readonly commits: number },
  ): Promise<Pick<RunResult, 'durationMs' | 'stdout'>>
  /** Reads a file as seen inside the namespace; `undefined` if the file is missing. */
  read(path: string): Promise<string | undefined>
  /** Finds the path of a program; `undefined` if the program is not installed. */
  find(program: string): string | undefined
  /** Resolves all symbolic links of a path. */
  resolve(path: string): string
  /** Opens the kernel's counter of nf_tables changes in the namespace; `undefined` if it is not available. */
  generation?(): Promise<
    | {
        current(): number
        close(): void
      }
    | undefined
  >
  /**
   * Opens a netlink socket to the namespace's nf_tables. `undefined` if only iptables programs can reach nf_tables. The
   * caller closes the socket.
   */
  nfnetlink?(): Nft | undefined
  /** Returns the result that `remember` has cached. */
  probed?(): { /** Names of the legacy tables in the namespace. */ readonly tables: string } | undefined
  /**
   * Caches that the legacy back end holds rules in the namespace. The argument `undefined` clears the cached result.
   */
  remember?(found: { readonly tables: string } | undefined): void
}

/** Counter of changes to nf_tables in a namespace. A read of the counter needs no process. */
export type Generation = NonNullable<Awaited<ReturnType<NonNullable<IptablesPort['generation']>>>>
/** Cached result of a search that found legacy rules in a namespace. */
export type Probed = NonNullable<ReturnType<NonNullable<IptablesPort['probed']>>>
export type IptablesPortOptions = Parameters<IptablesPort['run']>[1]
