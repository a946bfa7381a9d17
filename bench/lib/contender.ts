/** A program or function to time. All preparation happens before the clock starts. */
export interface Contender {
  name: string
  /**
   * True for a reference, with which the other contenders are compared. `--compare` uses the first reference of a race.
   */
  reference?: boolean
  prepare(): Promise<Prepared | PreparedWork>
}

/** A prepared contender that is a function in this process. */
export interface PreparedWork {
  run(): Promise<void>
  cleanUp?(): PromiseLike<void> | void
}

/** A prepared contender that is a program. */
export interface Prepared {
  argv: readonly [string, ...string[]]
  env?: Record<string, string>
  stdin?: string
  /** Verifies the result of a run after the clock has stopped. Throws if the work was not done. */
  verify?(stdout: string): PromiseLike<void> | void
  cleanUp?(): PromiseLike<void> | void
}
