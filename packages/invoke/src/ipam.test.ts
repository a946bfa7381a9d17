import { expect, test } from 'vitest'
import { ipam, ipamType } from './ipam.ts'
import { fakeExec } from './testing/fake-exec.ts'

const env = { CNI_PATH: '/bin' }
const raw = '{"cniVersion":"1.1.0","name":"net","type":"bridge","ipam":{"type":"local"}}'

test('every verb goes to the plugin in ipam.type, with the whole configuration', async () => {
  const exec = fakeExec({ local: { ADD: { ips: [{ address: '10.1.0.2/24' }] } } })
  const local = ipam({ raw, env }, { exec })
  expect(local.type).toBe('local')
  const { ips } = await local.add()
  expect(ips).toEqual([{ address: '10.1.0.2/24' }])
  await local.check()
  await local.status()
  await local.gc()
  await local.del()
  expect(exec.calls.map(({ command }) => command)).toEqual(['ADD', 'CHECK', 'VERSION', 'STATUS', 'GC', 'DEL'])
  const asked = exec.calls.filter(({ command }) => command !== 'VERSION')
  expect(asked.every(({ type, stdin }) => type === 'local' && stdin === raw)).toBe(true)
})

test.each(['{}', '{"ipam":{}}', '{"ipam":{"type":""}}', '{"ipam":"local"}'])('%s has no IPAM plugin', (conf) => {
  expect(ipamType(conf)).toBeUndefined()
  expect(() => ipam({ raw: conf, env })).toThrow(
    expect.objectContaining({ code: 7, message: 'ipam.type: expected the name of an IPAM plugin, got nothing' }),
  )
})

test.each([
  ['', 'INVALID_CONF'],
  ['not json', 'INVALID_CONF'],
  ['[]', 'INVALID_CONF'],
  ['{"ipam":{"type":"../sh"}}', 'INVALID_NAME'],
  ['{"ipam":{"type":"/bin/sh"}}', 'INVALID_NAME'],
])('%j is rejected with %s', (conf, code) => {
  expect(() => ipam({ raw: conf, env })).toThrow(expect.objectContaining({ code }))
})
