import { trace } from '@cni/iptables/rules'
import { expect, test } from 'vitest'
import { rules } from './rules.ts'

test('all users except the proxy are redirected', () => {
  const written = rules({ port: 15001, proxy_uid: 1337 })
  expect(trace(written, 'tcp 10.0.0.5:80 uid 1000').destination).toEqual({ address: '127.0.0.1', port: 15001 })
  expect(trace(written, 'tcp 10.0.0.5:80 uid 1337').destination).toEqual({ address: '10.0.0.5', port: 80 })
})
