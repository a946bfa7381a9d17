import { testPlugin } from '@cni/skel/testing'
import { expect, test } from 'vitest'
import { conf, wrong } from '../test/given.ts'
import { plugin } from './plugin.ts'

test('an invalid configuration is rejected before any change, and the error names the member', async () => {
  const { exitCode, error } = await testPlugin(plugin).add({ conf: wrong.conf })
  expect(exitCode).toBe(1)
  expect(error?.msg).toBe(wrong.msg)
})

test('it requires a prevResult', async () => {
  expect((await testPlugin(plugin, { conf }).add({ prevResult: null })).error).toMatchObject({ code: 7 })
})
