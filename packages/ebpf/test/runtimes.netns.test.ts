import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { tempNetns } from '@cni/netns/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bundleFixture, fixture, runtimes } from '../../netns/test/runtimes.ts'
import { tempBpffs } from './bpffs.ts'

let bundle: Awaited<ReturnType<typeof bundleFixture>>
beforeAll(async () => {
  bundle = await bundleFixture(join(import.meta.dirname, 'fixtures/main.ts'))
})
afterAll(() => bundle.remove())

test.each([
  ['bun:ffi', runtimes.bun],
  ['node:ffi', runtimes.node26],
  ['koffi', runtimes.oldNode],
])('maps, pins, programs and filters give the same results through %s', async (ffi, runtime) => {
  await using pod = await tempNetns()
  using files = tempBpffs()
  expect(await fixture(runtime, bundle.cjs, files.path, pod.path)).toEqual({
    stderr: '',
    report: {
      ffi,
      maps: [true, 256, { ifindex: 255, mac: '02:00:00:00:00:01' }],
      run: ['unspec', 4, 3, 1500],
      filters: [true, 'count', true, true, 1, 0],
      refused: ['VERIFIER', 'NOT_FOUND'],
      features: { skcLookup: true, skAssign: true },
    },
  })
})

test('without privileges the error names the capability, and no trace is left', async () => {
  await using pod = await tempNetns()
  using files = tempBpffs()
  // A new bpf file system has entries of the kernel.
  const before = readdirSync(files.path)
  const powerless = ['setpriv', '--bounding-set=-all', '--inh-caps=-all', runtimes.node26] as const
  await expect(fixture(...powerless, bundle.cjs, files.path, pod.path)).rejects.toMatchObject({
    stderr: expect.stringContaining('Make map version: EPERM, this process lacks CAP_BPF, or CAP_SYS_ADMIN'),
  })
  expect(readdirSync(files.path)).toEqual(before)
})
