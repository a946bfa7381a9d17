import { defineConfig, mergeConfig } from 'vitest/config'
import all from '../../../vitest.config.ts'
import { VmReporter } from './vm-reporter.ts'

// Runs one file at a time, because the machine is slow.
export default mergeConfig(
  all,
  defineConfig({ test: { reporters: ['default', new VmReporter()], fileParallelism: false } }),
)
