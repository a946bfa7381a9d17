import { fakeExec } from '@cni/invoke/testing'
import { CniError, type Conflist } from '@cni/types'
import { afterEach, beforeEach, expect } from 'vitest'
import { type Cni, cni } from '../src/cni.ts'
import { type TempDir, tempDir } from './temp-dir.ts'

/** Attachment of these tests. */
export const rt = { containerID: 'c1', netns: '/ns/1', ifName: 'eth0', args: [['A', '1'] as const] }

/** Result of a plugin of these tests. `vendor` is an unknown member. */
export const first = { cniVersion: '1.1.0', ips: [{ address: '10.0.0.2/24' }], vendor: 'kept' }

/** A fake plugin that reports an error. */
export const failing = (code: number, msg: string) => () => {
  throw new CniError(code, msg, { details: 'dd' })
}

/** The list `net1` with plugins of these types. */
export const list = (cniVersion: string | undefined, ...types: string[]): Conflist => ({
  ...(cniVersion === undefined ? {} : { cniVersion }),
  name: 'net1',
  plugins: types.map((type) => ({ type })),
})

/** A runtime with fake plugins and its own cache folder. */
export interface FakeWorld {
  readonly exec: ReturnType<typeof fakeExec>
  readonly runtime: Cni
  /** `VERB type` of every call. */
  log(): string[]
}

/** Creates a folder for each test, and {@link FakeWorld}s in it. */
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
    /** Path of the cache file of {@link rt}. */
    cached: () => `${temp.dir}/results/net1-c1-eth0`,
    setUp(plugins: Parameters<typeof fakeExec>[0]): FakeWorld {
      const exec = fakeExec(plugins)
      const runtime = cni({ path: ['/opt/cni/bin'], cacheDir: temp.dir, exec, env: {}, stderr: () => undefined })
      return { exec, runtime, log: () => exec.calls.map(({ command, type }) => `${command} ${type}`) }
    },
  }
}

/** Error of a promise that must reject. */
export async function failure(promise: Promise<unknown>): Promise<Error> {
  const error: unknown = await promise.then(
    () => new TypeError('it succeeded'),
    (reason: unknown) => reason,
  )
  expect(error).not.toBeInstanceOf(TypeError)
  return error as Error
}
