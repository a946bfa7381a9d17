import type { RunResult } from '@cni/host'
import type { Nft } from '@cni/nftables/wire'

/**
 * Access of this package to the outside world. The real port works inside a network namespace; tests use
 * `fakeIptables()` of `@cni/iptables/testing`.
 */
export interface IptablesPort {
  /** Runs a program inside the namespace. Rejects with a `RunError` if it fails. */
  run(
    argv: readonly [string, ...string[]],
    options: {
      readonly input?: string
      readonly signal?: AbortSignal | undefined
      /** Milliseconds after which the program's process group is killed. */
      readonly timeout: number
    },
  ): Promise<RunResult>
  /**
   * Runs a program that makes `commits` transactions of the nft back end. Resolves once the kernel has committed them.
   * The program itself exits later, after the kernel has freed the deleted objects. Rejects with a `RunError` if the
   * program fails.
   */
  runUntilCommitted?(
    argv: readonly [string, ...string[]],
    options: Parameters<IptablesPort['run']>[1] & { readonly commits: number },
  ): Promise<Pick<RunResult, 'durationMs' | 'stdout'>>
  /** Content of a file as seen inside the namespace; `undefined` if it is missing. */
  read(path: string): Promise<string | undefined>
  /** Path of a program; `undefined` if it is not installed. */
  find(program: string): string | undefined
  /** Path with all symbolic links resolved. */
  resolve(path: string): string
  /** Opens the counter of nft changes in the namespace; `undefined` if it is not available. */
  generation?(): Promise<
    | {
        current(): number
        close(): void
      }
    | undefined
  >
  /** Opens nf_tables of the namespace; the caller closes it. `undefined` if only programs can reach it. */
  nfnetlink?(): Nft | undefined
  /** Result that `remember` cached: present if the legacy back end held rules in the namespace. */
  probed?(): { /** The legacy tables at that time. */ readonly tables: string } | undefined
  /** Caches for the next call that the legacy back end holds rules. `undefined` clears the cached result. */
  remember?(found: { readonly tables: string } | undefined): void
}

/** Counter of changes to nf_tables. Reading it needs no process. */
export type Generation = NonNullable<Awaited<ReturnType<NonNullable<IptablesPort['generation']>>>>
/** Cached result of a probe that found legacy rules. */
export type Probed = NonNullable<ReturnType<NonNullable<IptablesPort['probed']>>>
export type IptablesPortOptions = Parameters<IptablesPort['run']>[1]
