import type { RunResult } from '@cni/host'
import type { Nft } from '@cni/nftables/wire'

/**
 * Everything that this package does to the outside world. The real port works inside a network namespace; tests use
 * `fakeIptables()` of `@cni/iptables/testing`.
 */
export interface IptablesPort {
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
  /**
   * Runs a program that writes `commits` transactions of the nft back end, and is back once the kernel has them: the
   * program itself then still waits until the kernel has freed what was deleted. Rejects as `run` does.
   */
  runUntilCommitted?(
    argv: readonly [string, ...string[]],
    options: Parameters<IptablesPort['run']>[1] & { readonly commits: number },
  ): Promise<Pick<RunResult, 'durationMs' | 'stdout'>>
  /** A file as it looks inside the namespace, `undefined` when there is none. */
  read(path: string): Promise<string | undefined>
  /** The path of a program, `undefined` when it is not installed. */
  find(program: string): string | undefined
  /** A path with all symbolic links followed. */
  resolve(path: string): string
  /** Opens the counter of changes of the nft back end in the namespace; `undefined` where there is none to be had. */
  generation?(): Promise<
    | {
        current(): number
        close(): void
      }
    | undefined
  >
  /** Opens nf_tables of the namespace, for the caller to close; `undefined` where only programs reach it. */
  nfnetlink?(): Nft | undefined
  /** Result of an earlier program run: true if the legacy back end holds rules in the namespace. */
  probed?(): { /** The legacy tables at that time. */ readonly tables: string } | undefined
  /** Keeps it for the next call; `undefined` when it may have changed. */
  remember?(found: { readonly tables: string } | undefined): void
}

/** Counter of the changes of the nft back end; no process runs. */
export type Generation = NonNullable<Awaited<ReturnType<NonNullable<IptablesPort['generation']>>>>
/** Result of a probe that found rules of the legacy back end. */
export type Probed = NonNullable<ReturnType<NonNullable<IptablesPort['probed']>>>
export type IptablesPortOptions = Parameters<IptablesPort['run']>[1]
