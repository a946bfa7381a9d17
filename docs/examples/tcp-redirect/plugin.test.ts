import { trace } from '@cni/iptables/rules'
import { testPlugin } from '@cni/skel/testing'
import { expect, test } from 'vitest'
import { plugin, redirectTo } from './plugin.ts'

test('all users except the proxy are redirected', () => {
  const rules = redirectTo(15001, 1337)
  expect(trace(rules, 'tcp 10.0.0.5:80 uid 1000').destination).toEqual({ address: '127.0.0.1', port: 15001 })
  expect(trace(rules, 'tcp 10.0.0.5:80 uid 1337').destination).toEqual({ address: '10.0.0.5', port: 80 })
})

test('an invalid port is named', async () => {
  const { exitCode, error } = await testPlugin(plugin).add({ conf: { port: '80;', proxy_uid: 1337 } })
  expect(exitCode).toBe(1)
  expect(error?.msg).toBe('port: expected a positive integer, got "80;"')
})
