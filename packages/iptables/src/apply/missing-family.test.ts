import { describe, expect, test } from 'vitest'
import { iptables } from '../iptables.ts'
import { ruleset } from '../rules/ruleset.ts'
import { fakeKernel } from '../testing/fake-iptables.ts'
import type { IptablesOptions } from '../work.ts'

const both = ruleset({ nat: ['EX'] }, (t) => [t.nat.on('OUTPUT').jump('EX'), t.nat.on('EX').uid(1337).return()])
const onlyIpv4 = { ...both, rules: both.rules.map((rule) => ({ ...rule, family: 'ipv4' as const })) }
const tampering = '*nat\n-F EX\nCOMMIT\n'

const without = ['', '-nft', '-legacy'].flatMap((kind) => [`ip6tables${kind}-restore`, `ip6tables${kind}-save`])
const setup = (options: IptablesOptions = {}) => {
  const kernel = fakeKernel({ without })
  return { kernel, ipt: iptables('host', { ...options, port: kernel.port }) }
}

describe('on a node without ip6tables', () => {
  test('IPv4 rules are applied, verified, corrected and removed without looking at IPv6', async () => {
    const { kernel, ipt } = setup()
    expect(await ipt.apply(onlyIpv4)).toMatchObject({ plan: 'fresh' })
    await ipt.verify(onlyIpv4)
    expect(await ipt.apply(onlyIpv4)).toMatchObject({ plan: 'unchanged' })
    kernel.tamper(tampering)
    await expect(ipt.verify(onlyIpv4)).rejects.toMatchObject({ code: 'DRIFT' })
    expect(await ipt.apply(onlyIpv4)).toMatchObject({ plan: 'reconcile' })
    await ipt.remove(onlyIpv4)
    expect(kernel.dump()).toBe('')
    await ipt.apply(onlyIpv4)
    expect(await ipt.removeChains('EX')).toMatchObject({ families: ['ipv4'] })
    expect(kernel.dump()).toBe('')
  })

  test('IPv6 rules are refused when verified or applied, and leave nothing', async () => {
    const { kernel, ipt } = setup()
    await expect(ipt.apply(both)).rejects.toMatchObject({ code: 'NO_BINARY', message: /^ip6tables-restore/ })
    expect(kernel.dump()).toBe('')
    await expect(ipt.verify(both)).rejects.toMatchObject({ code: 'NO_BINARY', message: /^ip6tables-save/ })
  })

  test('a family in the option families is never left out', async () => {
    const { ipt } = setup({ families: ['ipv4', 'ipv6'] })
    await expect(ipt.verify(onlyIpv4)).rejects.toMatchObject({ code: 'NO_BINARY' })
  })

  test('legacy IPv6 tables that no program can read do not select the back end', async () => {
    const { kernel, ipt } = setup()
    kernel.tamper('*nat\n-A OUTPUT -j ACCEPT\nCOMMIT\n', 'ipv6', 'iptables-legacy')
    expect(await ipt.apply(onlyIpv4)).toMatchObject({ plan: 'fresh', backend: 'iptables-nft' })
    await ipt.verify(onlyIpv4)
  })
})
