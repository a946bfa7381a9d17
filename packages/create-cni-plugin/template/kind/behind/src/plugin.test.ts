import { testPlugin } from '@cni/skel/testing'
import { expect, test } from 'vitest'
import { conf, wrong } from '../test/given.ts'
import { plugin } from './plugin.ts'

test('a wrong configuration is refused by name, before anything is done', async () => {
  const { exitCode, error } = await testPlugin(plugin).add({ conf: wrong.conf })
  expect(exitCode).toBe(1)
  expect(error?.msg).toBe(wrong.msg)
})

test('it only works behind other plugins', async () => {
  expect((await testPlugin(plugin, { conf }).add({ prevResult: null })).error).toMatchObject({ code: 7 })
})
