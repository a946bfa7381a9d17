import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sysctlKey, sysctlPath } from './name.ts'
import { valueText } from './value.ts'

test.each([
  ['net.ipv4.ip_forward', 'net/ipv4/ip_forward'],
  ['net/ipv4/ip_forward', 'net/ipv4/ip_forward'],
  ['net.ipv4.conf.eth0.100.rp_filter', 'net/ipv4/conf/eth0.100/rp_filter'],
  ['net.ipv4.conf.eth0/100.rp_filter', 'net/ipv4/conf/eth0.100/rp_filter'],
  ['net.ipv6.neigh.a.b.c.retrans_time_ms', 'net/ipv6/neigh/a.b.c/retrans_time_ms'],
  ['net/ipv4/conf/a.b/rp_filter', 'net/ipv4/conf/a.b/rp_filter'],
  ['net.netfilter.nf_conntrack_max', 'net/netfilter/nf_conntrack_max'],
])('%s has the path %s', (name, key) => {
  expect(sysctlKey(name)).toBe(key)
})

test.each([
  '',
  'net',
  'net.',
  '.net.ipv4',
  '/net/ipv4',
  'net/../kernel/core_pattern',
  'net/ipv4/../../kernel/core_pattern',
  'net.ipv4.conf.//.rp_filter',
  'net.//.//.kernel.core_pattern',
  'net/./ipv4/ip_forward',
  'net//ipv4/ip_forward',
  'net.ipv4..ip_forward',
  'net.ipv4.conf.a b.rp_filter',
  'net.ipv4.conf.a\0.rp_filter',
  'net.ipv4.conf.a\n.rp_filter',
  'kernel.core_pattern',
  'kernel/core_pattern',
  'fs.file-max',
  `net.ipv4.conf.${'x'.repeat(300)}.rp_filter`,
])('%j is refused', (name) => {
  expect(() => sysctlPath(name)).toThrow(expect.objectContaining({ name: 'NetnsError', code: 'INVALID' }))
})

test('any name is refused or leads to a path below net', () => {
  const parts = fc.array(fc.constantFrom('net', 'ipv4', 'conf', '.', '..', '/', '//', 'eth0.1', 'a', '\0', ''))
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        parts.map((list) => list.join('.')),
        parts.map((list) => list.join('/')),
      ),
      (name) => {
        let path: readonly string[]
        try {
          path = sysctlPath(name)
        } catch {
          return
        }
        const { pathname } = new URL(`file:///proc/sys/${path.map(encodeURIComponent).join('/')}`)
        expect(pathname).toMatch(/^\/proc\/sys\/net\/./)
        expect(path.every((part) => part !== '..' && part !== '.' && !part.includes('/'))).toBe(true)
      },
    ),
  )
})

test.each([['a\nb'], ['a\0'], [Number.NaN], [1.5], ['x'.repeat(5000)]])('%j is refused as a value', (value) => {
  expect(() => valueText('net.ipv4.ip_forward', value)).toThrow(expect.objectContaining({ code: 'INVALID' }))
})
