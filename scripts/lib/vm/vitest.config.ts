import { defineConfig, mergeConfig } from 'vitest/config'
import all from '../../../vitest.config.ts'
import { VmReporter } from './vm-reporter.ts'

// One file after the other: the machine is slow enough for one.
export default mergeConfig(
  all,
  defineConfig({ test: { reporters: ['default', new VmReporter()], fileParallelism: false } }),
)
