/** A program or function whose time is measured. `prepare` does all preparation before the clock starts. */
export interface Contender {
  name: string
  /** True for a reference program, with which the report compares the group's programs. */
  reference?: boolean
  prepare(): Promise<Prepared | PreparedWork>
}

/** A measured function of this process. Only `run` is timed: the preparation is already done. */
export interface PreparedWork {
  run(): Promise<unknown>
  cleanUp?(): PromiseLike<void> | void
}

/** A measured program. Only its run is timed: its arguments, environment and input are already prepared. */
export interface Prepared {
  argv: readonly [string, ...string[]]
  env?: Record<string, string>
  stdin?: string
  /** Checks after the timed run that the program has done its work. Throws otherwise. */
  verify?(stdout: string): PromiseLike<void> | void
  cleanUp?(): PromiseLike<void> | void
}

/** A measured executable, such as a plugin or a version of cnitool. `name` appears in the report's tables. */
export interface Program {
  readonly name: string
  readonly argv: readonly [string, ...string[]]
  readonly reference?: boolean
}

/** Calls VERSION of a plugin, which needs no namespace. */
export function version({ name, argv, reference = false }: Program): Contender {
  return { name, reference, prepare: async () => ({ argv, env: { CNI_COMMAND: 'VERSION' } }) }
}
