/** One program to time, or some work of this process: everything a run needs, prepared before the clock starts. */
export interface Contender {
  name: string
  /** Not ours: the others are compared with it. The first reference of a race is the one that `--compare` judges by. */
  reference?: boolean
  prepare(): Promise<Prepared | PreparedWork>
}

/** Work of this process. */
export interface PreparedWork {
  run(): Promise<void>
  cleanUp?(): PromiseLike<void> | void
}

/** A program. */
export interface Prepared {
  argv: readonly [string, ...string[]]
  env?: Record<string, string>
  stdin?: string
  /** Looks at what the run left, outside the clock; throws when the work was not done. */
  verify?(stdout: string): PromiseLike<void> | void
  cleanUp?(): PromiseLike<void> | void
}
