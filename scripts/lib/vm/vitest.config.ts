import { defineConfig, mergeConfig } from 'vitest/config'
import all from '../../../vitest.config.ts'
import { VmReporter } from './vm-reporter.ts'

// Runs one test file at a time, because an emulated machine is slow.
export default mergeConfig(
  all,
  defineConfig({ test: { reporters: ['default', new VmReporter()], fileParallelism: false } }),
)
