import { closeSync, openSync } from 'node:fs'
import { Netns } from '@cni/netns/handle'
import { describe, expect, test } from 'vitest'
import { iptables } from '../iptables.ts'
import { ruleset } from '../rules/ruleset.ts'
import { fakeKernel } from '../testing/fake-iptables.ts'
import type { IptablesPort, Probed } from './port.ts'
import { ProbeCache } from './probe-cache.ts'

const handle = (ino: bigint) => new Netns('/dev/null', openSync('/dev/null', 'r'), { dev: 4n, ino })
const probed: Probed = { tables: 'nat\n' }

describe('a probe result', () => {
  test('is cached for all handles of the namespace while the first handle is open', () => {
    const cache = new ProbeCache()
    using other = handle(7n)
    const first = handle(7n)
    cache.set(first, probed)
    expect([cache.get(first), cache.get(other)]).toEqual([probed, probed])
    first.close()
    expect(cache.get(other), 'the number may be that of another namespace by now').toBeUndefined()
  })

  test('has a size limit, and excludes the node', () => {
    const cache = new ProbeCache(2)
    const handles = [1n, 2n, 3n].map(handle)
    for (const each of handles) cache.set(each, probed)
    expect(handles.map((each) => cache.get(each) !== undefined)).toEqual([false, true, true])
    cache.set('host', probed)
    expect(cache.get('host')).toBeUndefined()
    for (const each of handles) closeSync(each.fd)
  })
})

describe('the back end of a namespace', () => {
  test('needs one process if it is legacy, and one more for a write; otherwise one process each time', async () => {
    const kernel = fakeKernel()
    kernel.tamper('*nat\nCOMMIT\n', 'ipv4', 'iptables-legacy')
    let known: Probed | undefined
    const port: IptablesPort = { ...kernel.port, probed: () => known, remember: (found) => (known = found) }
    const backend = async () => {
      const before = kernel.commands.length
      const kind = await iptables('host', { port }).backend()
      return [kind, kernel.commands.length - before]
    }
    expect(await backend()).toEqual(['iptables-nft', 1])
    expect(await backend()).toEqual(['iptables-nft', 1])
    kernel.tamper('*nat\n-A OUTPUT -j ACCEPT\nCOMMIT\n', 'ipv4', 'iptables-legacy')
    expect(await backend()).toEqual(['iptables-legacy', 1])
    expect(await backend()).toEqual(['iptables-legacy', 0])
    const rules = ruleset({ filter: ['EX'] }, (t) => [t.filter.on('EX').drop()])
    await iptables('host', { port, backend: 'iptables-legacy' }).apply(rules)
    expect(await backend()).toEqual(['iptables-legacy', 2])
  })
})
