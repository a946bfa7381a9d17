import { expect, test } from 'vitest'
import { ipam } from './ipam.ts'
import { fakeExec } from './testing/fake-exec.ts'

const env = { CNI_PATH: '/bin' }
const raw = '{"cniVersion":"1.0.0","name":"net","type":"bridge","ipam":{"type":"local"}}'

test('every verb goes to the plugin named in ipam.type, with the whole configuration', async () => {
  const exec = fakeExec({ local: { ADD: { ips: [{ address: '10.1.0.2/24' }] } } })
  const { ips } = await ipam.add(raw, { exec, env })
  await ipam.check(raw, { exec, env })
  await ipam.status(raw, { exec, env })
  await ipam.gc(raw, { exec, env })
  await ipam.del(raw, { exec, env })
  expect(ips).toEqual([{ address: '10.1.0.2/24' }])
  expect(exec.calls.map(({ command }) => command)).toEqual(['ADD', 'CHECK', 'STATUS', 'GC', 'DEL'])
  expect(exec.calls.every(({ type, stdin }) => type === 'local' && stdin === raw)).toBe(true)
})

test.each(['{}', '{"ipam":{}}', '{"ipam":{"type":""}}', '{"ipam":"local"}'])('%s names no plugin', async (conf) => {
  expect(ipam.type(conf)).toBeUndefined()
  await expect(ipam.del(conf, { exec: fakeExec({}), env })).rejects.toMatchObject({
    code: 7,
    message: 'ipam.type: expected the name of an IPAM plugin, got nothing',
  })
})

test.each(['', 'not json', '[]'])('%j is no configuration', async (conf) => {
  await expect(ipam.add(conf, { exec: fakeExec({}), env })).rejects.toMatchObject({ code: 'INVALID_CONF' })
})
