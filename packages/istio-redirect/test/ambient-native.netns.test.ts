import { spawnSync } from 'node:child_process'
import type { NetnsTarget } from '@cni/netns'
import { tempNetns } from '@cni/netns/testing'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { everything, nativeCaptures, nativeListing } from '../../istio-rules/test/goldens/ambient/cases.ts'
import { enrolNamespace, namespaceDrift, releaseNamespace } from '../src/agent/ambient/namespace/enrol-namespace.ts'
import { inside } from './stage/inside.ts'

const { stdout: version } = spawnSync('nft', ['--version'], { encoding: 'utf8' })
/** True if `nft` has the version that made the listings. */
const hasNft = typeof version === 'string' && version.includes('v1.0.6')
const noNft = hasNft ? '' : ' (skipped: nft 1.0.6 is not installed)'

const list = (pod: NetnsTarget): string => inside(pod, ['nft', '-s', 'list', 'ruleset'])
const native = { native: true } as const

describe.skipIf(!hasNft)(`the native rules of a pod${noNft}`, () => {
  test.each(nativeCaptures)('for "$name" are listed as Istio’s', async ({ name, capture }) => {
    await using pod = await tempNetns()
    expect(await enrolNamespace(pod, capture, native)).toMatchObject({ plan: 'fresh' })
    expect(list(pod)).toBe(nativeListing(name))
    expect(await namespaceDrift(pod, capture, native)).toEqual([])
    expect(await enrolNamespace(pod, capture, native)).toMatchObject({ plan: 'unchanged', added: [] })
  })

  test.each(nativeCaptures)(
    'for "$name" are as they should be when the original wrote them',
    async ({ name, capture }) => {
      await using pod = await tempNetns()
      inside(pod, ['nft', '-f', '-'], nativeListing(name))
      expect(await enrolNamespace(pod, capture, native)).toMatchObject({ plan: 'unchanged' })
      expect(await namespaceDrift(pod, capture, native)).toEqual([])
    },
  )

  test('follow the annotations of the pod, and unneeded tables are removed', async () => {
    await using pod = await tempNetns()
    for (const { name, capture } of nativeCaptures) {
      await enrolNamespace(pod, capture, native)
      expect(await namespaceDrift(pod, capture, native)).toEqual([])
      const tables = (text: string) => [...text.matchAll(/^table .*/gm)].map(([table]) => table).toSorted()
      expect(tables(list(pod))).toEqual(tables(nativeListing(name)))
    }
    const withoutDns = { ...everything, dnsCapture: false }
    expect(await namespaceDrift(pod, withoutDns, native)).toContain('unexpected table inet istio-ambient-raw')
  })

  test('are repaired after drift, and foreign tables stay', async () => {
    await using pod = await tempNetns()
    await enrolNamespace(pod, everything, native)
    inside(pod, ['nft', 'add table inet mine'])
    inside(pod, ['nft', 'flush chain inet istio-ambient-nat istio-output'])
    inside(pod, ['nft', 'delete table inet istio-ambient-raw'])
    const drift = (await namespaceDrift(pod, everything, native)).join('\n')
    expect(drift).toContain('missing table inet istio-ambient-raw')
    expect(drift).toContain('missing rule in table inet istio-ambient-nat, chain istio-output')
    expect(await enrolNamespace(pod, everything, native)).toMatchObject({ plan: 'replace' })
    expect(await namespaceDrift(pod, everything, native)).toEqual([])
    expect(list(pod)).toContain('table inet mine')
  })

  test('are removed together with the pod’s routes', async () => {
    await using pod = await tempNetns()
    await enrolNamespace(pod, everything, native)
    await releaseNamespace(pod, { ...everything, dnsCapture: false }, native)
    expect(list(pod)).toBe('')
    expect(inside(pod, ['ip', 'rule'])).not.toContain('fwmark')
    await releaseNamespace(pod, everything, native)
  })

  test.each([
    ['native', 'iptables', {}, native],
    ['iptables', 'native', native, {}],
    ['legacy iptables', 'native', native, { backend: 'iptables-legacy' }],
    ['native', 'legacy iptables', { backend: 'iptables-legacy' }, native],
  ] as const)('replace the earlier kind: from %s to %s', async (_, __, next, before) => {
    await using pod = await tempNetns()
    await enrolNamespace(pod, everything, before)
    expect(await namespaceDrift(pod, everything, next)).not.toEqual([])
    await enrolNamespace(pod, everything, next)
    expect(await namespaceDrift(pod, everything, next)).toEqual([])
    const legacy = inside(pod, ['iptables-legacy-save'])
    const nft = inside(pod, ['iptables-nft-save'])
    expect([legacy.includes('ISTIO'), nft.includes('ISTIO'), list(pod).includes('istio-ambient')]).toEqual([
      'backend' in next,
      !('backend' in next || 'native' in next),
      'native' in next,
    ])
    await releaseNamespace(pod, everything, next)
    expect((await namespaceDrift(pod, everything, next)).join()).not.toContain('unexpected')
  })
})

test('native rules need no program', async () => {
  await using pod = await tempNetns()
  onTestFinished(() => void vi.unstubAllEnvs())
  vi.stubEnv('PATH', '/nonexistent')
  await enrolNamespace(pod, everything, native)
  expect(await namespaceDrift(pod, everything, native)).toEqual([])
  await releaseNamespace(pod, everything, native)
  expect(await namespaceDrift(pod, everything, native)).toContain('missing table inet istio-ambient-nat')
})
