/** A program or function whose time is measured. `prepare` does all preparation before the clock starts. */
export interface Contender {
  name: string
  /**
   * True for a reference, with which the other contenders are compared. `--compare` uses the first reference of a race.
   */
  reference?: boolean
  prepare(): Promise<Prepared | PreparedWork>
}

/** Work to time that is a function of this process, with its preparation done. */
export interface PreparedWork {
  run(): Promise<void>
  cleanUp?(): PromiseLike<void> | void
}

/** A program to time, with its arguments, environment and input prepared. */
export interface Prepared {
  argv: readonly [string, ...string[]]
  env?: Record<string, string>
  stdin?: string
  /** Verifies the result of a run after the clock has stopped. Throws if the work was not done. */
  verify?(stdout: string): PromiseLike<void> | void
  cleanUp?(): PromiseLike<void> | void
}
