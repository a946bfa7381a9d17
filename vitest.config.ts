import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { KEEPS_COMPILED } from './test/node.ts'

// Packages resolve to their sources, so that no test depends on a build of a sibling.
const conditions = ['@cni/source', 'node']
const resolve = { conditions, externalConditions: conditions }
const everywhere = {
  // Stand-ins and threads that tests start inherit it.
  execArgv: [KEEPS_COMPILED],
  // Time limit for a condition of `expect.poll`. A busy machine needs more than the default of one second.
  expect: { poll: { timeout: 10_000 } },
}
// Files that mock modules, or that look at what a whole process has: each runs in a process of its own.
const isolated = ['packages/host/src/write-order.test.ts']
const isolatedNetns = [
  'packages/istio-redirect/test/{plugin/{repeated-add,del-in-time,unrecorded},serve/{served,served-undo}}.netns.test.ts',
  'packages/istio-node-level/test/ebpf/objects.netns.test.ts',
]
const shared = {
  resolve: { conditions },
  ssr: { resolve },
  // Global set-up runs there.
  environments: { __vitest__: { resolve } },
}

export default defineConfig({
  ...shared,
  test: {
    pool: 'forks',
    // More workers than cores, because many tests wait for a process, a timeout or the kernel.
    maxWorkers: availableParallelism() + 2,
    projects: [
      {
        ...shared,
        test: {
          name: 'unit',
          ...everywhere,
          // Most of the time of a short file would go into a process of its own, and into loading the same sources.
          isolate: false,
          include: [
            '{packages,examples}/*/src/**/*.test.ts',
            'packages/*/test/chart/*.test.ts',
            'docs/examples/**/*.test.ts',
            '{bench,playground/src,scripts}/**/*.test.ts',
            'test/*.test.ts',
          ],
          exclude: ['**/*.{netns,process}.test.ts', '**/node_modules/**', ...isolated],
          // For what hangs. A property takes a second on an idle core, and many where every core has other work.
          testTimeout: 30_000,
        },
      },
      {
        ...shared,
        test: {
          name: 'unit-isolated',
          ...everywhere,
          include: isolated,
          testTimeout: 30_000,
        },
      },
      {
        ...shared,
        test: {
          name: 'process',
          ...everywhere,
          isolate: false,
          include: ['{packages,examples}/*/{src,test}/**/*.process.test.ts', 'bench/**/*.process.test.ts'],
          testTimeout: 30_000,
          hookTimeout: 30_000,
        },
      },
      {
        ...shared,
        test: {
          name: 'netns',
          ...everywhere,
          isolate: false,
          include: ['{packages,examples}/*/{src,test}/**/*.netns.test.ts', 'docs/examples/**/*.netns.test.ts'],
          exclude: ['**/node_modules/**', ...isolatedNetns],
          testTimeout: 30_000,
          hookTimeout: 30_000,
        },
      },
      {
        ...shared,
        test: {
          name: 'netns-isolated',
          ...everywhere,
          include: isolatedNetns,
          testTimeout: 30_000,
          hookTimeout: 30_000,
        },
      },
      {
        ...shared,
        test: {
          name: 'e2e',
          ...everywhere,
          isolate: false,
          include: ['{packages,examples}/*/test/e2e/**/*.test.ts', 'test/peers/**/*.test.ts'],
          exclude: ['**/*.netns.test.ts', '**/node_modules/**'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        ...shared,
        test: {
          name: 'cluster',
          ...everywhere,
          include: ['test/cluster/**/*.test.ts'],
          testTimeout: 600_000,
          hookTimeout: 600_000,
        },
      },
      {
        ...shared,
        test: {
          name: 'runtimes',
          ...everywhere,
          include: ['test/runtimes/**/*.test.ts'],
          globalSetup: ['test/runtimes/node/global-setup.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        ...shared,
        test: {
          name: 'upgrade',
          ...everywhere,
          include: ['test/upgrade/**/*.test.ts'],
          globalSetup: ['test/runtimes/node/global-setup.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
})
