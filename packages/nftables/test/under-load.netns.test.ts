import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { Batch } from '@cni/nftables/wire'
import { describe, expect, test } from 'vitest'
import { sample, sampleTitle, times } from '../../../test/deep.ts'
import { NODE_FLAGS } from '../../../test/node.ts'
import { eachPod } from './each-pod.ts'

const program = new URL('./fixtures/write-many.ts', import.meta.url).pathname

/** Starts a process that runs one of the fixture's `kinds`. */
function writer(path: string, kind: string, who: string, times: number) {
  const child = spawn(process.execPath, [...NODE_FLAGS, program, path, kind, who, `${times}`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const line = async () => String((await lines.next()).value)
  const ready = line()
  return {
    ready,
    /** Reasons of all failures. */
    failures: async (): Promise<string[]> => {
      await ready
      return JSON.parse(await line()) as string[]
    },
    async [Symbol.asyncDispose]() {
      child.kill()
      if (child.exitCode === null && child.signalCode === null) await new Promise((done) => child.once('exit', done))
    },
  }
}

describe(`many processes write in one namespace, ${sampleTitle}`, { timeout: 120_000 }, () => {
  const here = eachPod()
  const shared = { family: 'inet', table: 'shared' } as const

  test.each(sample(['own table', 'shared table', 'shared table, after reading'], () => 'table'))(
    '200 pods: %s',
    async (kind) => {
      here.nft.commit(new Batch().addTable(shared))
      await using all = new AsyncDisposableStack()
      const writers = Array.from({ length: 8 }, (_, who) => all.use(writer(here.pod.path, kind, `${who}`, 25)))
      const failed = await Promise.all(writers.map((each) => each.failures()))
      expect(failed.flat()).toEqual([])
      const pods =
        kind === 'own table'
          ? here.nft.tables().map(({ table }) => table)
          : here.nft.chains(shared).map(({ chain }) => chain)
      expect(pods.filter((name) => name.startsWith('pod-'))).toHaveLength(200)
    },
  )

  const corrections = times(20)
  test(`500 rules are corrected ${corrections} times, while two processes commit 50 times a second`, async () => {
    await using all = new AsyncDisposableStack()
    const others = ['a', 'b'].map((who) => all.use(writer(here.pod.path, 'noise', who, 100_000)))
    await Promise.all(others.map(({ ready }) => ready))
    const one = all.use(writer(here.pod.path, '500 rules', 'one', corrections))
    expect(await one.failures()).toEqual([])
    expect(here.nft.rules({ family: 'inet', table: 'pod-one' })).toHaveLength(501)
  })
})
