import * as build from '@cni/build'

/** Builds an executable of a long-running program: with bun, unless the options name another runtime. */
export const buildExecutable = (options: build.BuildExecutableOptions): Promise<build.BuiltExecutable> =>
  build.buildExecutable({ runtime: 'bun', ...options })
