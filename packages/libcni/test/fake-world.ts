import { fakeExec } from '@cni/invoke/testing'
import { CniError, type Conflist } from '@cni/types'
import { afterEach, beforeEach, expect } from 'vitest'
import { type Cni, cni } from '../src/cni.ts'
import { type TempDir, tempDir } from './temp-dir.ts'

/** Attachment (container, namespace, interface) that these tests use. */
export const rt = { containerID: 'c1', netns: '/ns/1', ifName: 'eth0', args: [['A', '1'] as const] }

/** Result that a fake plugin of these tests returns. The member `vendor` is unknown to CNI. */
export const first = { cniVersion: '1.1.0', ips: [{ address: '10.0.0.2/24' }], vendor: 'kept' }

/** Creates a fake plugin that fails with the given CNI error. */
export const failing = (code: number, msg: string) => () => {
  throw new CniError(code, msg, { details: 'dd' })
}

/** Creates the list of the network `net1` with plugins of the given types. */
export const list = (cniVersion: string | undefined, ...types: string[]): Conflist => ({
  ...(cniVersion === undefined ? {} : { cniVersion }),
  name: 'net1',
  plugins: types.map((type) => ({ type })),
})

/** Test environment: a runtime with fake plugins and its own cache folder. */
export interface FakeWorld {
  readonly exec: ReturnType<typeof fakeExec>
  readonly runtime: Cni
  /** All calls of the fake plugins so far, each as `VERB type`. */
  log(): string[]
}

/** Creates a temporary folder for each test, and {@link FakeWorld}s that use the folder as their cache. */
export function fakeWorlds() {
  let temp: TempDir
  beforeEach(() => {
    temp = tempDir()
  })
  afterEach(() => temp[Symbol.dispose]())
  return {
    get temp() {
      return temp
    },
    /** Path of the cache file for the attachment {@link rt} to `net1`. */
    cached: () => `${temp.dir}/results/net1-c1-eth0`,
    setUp(plugins: Parameters<typeof fakeExec>[0]): FakeWorld {
      const exec = fakeExec(plugins)
      const runtime = cni({ path: ['/opt/cni/bin'], cacheDir: temp.dir, exec, env: {}, stderr: () => undefined })
      return { exec, runtime, log: () => exec.calls.map(({ command, type }) => `${command} ${type}`) }
    },
  }
}

/** Error with which a promise rejects. The test fails if the promise resolves. */
export async function failure(promise: Promise<unknown>): Promise<Error> {
  const error: unknown = await promise.then(
    () => new TypeError('it succeeded'),
    (reason: unknown) => reason,
  )
  expect(error).not.toBeInstanceOf(TypeError)
  return error as Error
}
