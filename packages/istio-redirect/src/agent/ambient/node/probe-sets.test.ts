import { fakeIpset } from '@cni/ipset/testing'
import { probeSetNames } from '@cni/istio-rules'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ipsetOf } from './address-set.ts'
import { type ProbeSets, probeSets } from './probe-sets.ts'

const [a, b, c] = ['uid-a', 'uid-b', 'uid-c'] as const

async function twoFamilies(): Promise<{ sets: ProbeSets; fake: ReturnType<typeof fakeIpset> }> {
  const fake = fakeIpset()
  const sets = probeSets([ipsetOf(fake, 'ipv4'), ipsetOf(fake, 'ipv6')])
  await sets.create()
  return { sets, fake }
}

const held = async (sets: ProbeSets): Promise<Record<string, string | undefined>> =>
  Object.fromEntries((await sets.list()).map(({ address, uid }) => [address, uid]))

describe('the addresses of a pod', () => {
  test('are in the set of their family, with its UID', async () => {
    const { sets } = await twoFamilies()
    expect(await sets.put(a, ['10.0.0.1', 'fd00:0:0::1', '::ffff:10.0.0.2'])).toEqual([])
    expect(await held(sets)).toEqual({ '10.0.0.1': a, '10.0.0.2': a, 'fd00::1': a })
  })

  test('replace its former addresses', async () => {
    const { sets } = await twoFamilies()
    await sets.put(a, ['10.0.0.1', 'fd00::1'])
    await sets.put(b, ['10.0.0.3'])
    await sets.put(a, ['10.0.0.2'])
    expect(await held(sets)).toEqual({ '10.0.0.2': a, '10.0.0.3': b })
  })

  test('are removed with the pod, including entries that the agent does not know', async () => {
    const { sets, fake } = await twoFamilies()
    await sets.put(a, ['10.0.0.1'])
    await sets.put(b, ['10.0.0.2'])
    await fake
      .set(probeSetNames.ipv6, { type: 'hash:ip', family: 'ipv6', comment: true })
      .add({ entry: 'fd00::9', comment: a })
    expect(await sets.drop(a)).toEqual(['10.0.0.1', 'fd00::9'])
    expect(await sets.drop(a)).toEqual([])
    expect(await held(sets)).toEqual({ '10.0.0.2': b })
  })

  test('stay with the pod that took them over when the former pod is dropped', async () => {
    const { sets } = await twoFamilies()
    await sets.put(a, ['10.0.0.1'])
    await Promise.all([sets.put(b, ['10.0.0.1']), sets.drop(a)])
    expect(await held(sets)).toEqual({ '10.0.0.1': b })
  })

  test('are returned if their family has no set, and the others are added', async () => {
    const fake = fakeIpset()
    const sets = probeSets([ipsetOf(fake, 'ipv4')])
    await sets.create()
    expect(await sets.put(a, ['fd50::18', '10.0.0.1'])).toEqual(['fd50::18'])
    expect(await held(sets)).toEqual({ '10.0.0.1': a })
  })

  test('are refused if one is invalid, and nothing is written', async () => {
    const { sets } = await twoFamilies()
    await expect(sets.put(a, ['10.0.0.300', 'fd00::1'])).rejects.toThrow('"10.0.0.300" is not an address of a pod')
    expect(await held(sets)).toEqual({})
  })

  test("are added to one family's set if the other set fails", async () => {
    const fake = fakeIpset()
    const sets = probeSets([ipsetOf(fake, 'ipv4'), ipsetOf(fake, 'ipv6')])
    await ipsetOf(fake, 'ipv6').create()
    await expect(sets.put(a, ['10.0.0.1', 'fd00::1'])).rejects.toThrow(probeSetNames.ipv4)
    expect(await ipsetOf(fake, 'ipv6').list()).toEqual([{ address: 'fd00::1', uid: a }])
    await ipsetOf(fake, 'ipv4').create()
    // A failed write does not block later ones.
    await sets.put(a, ['10.0.0.1'])
    expect(await held(sets)).toEqual({ '10.0.0.1': a })
  })
})

describe('after a restart, a sync', () => {
  const pods = new Map<string, string[]>([
    [a, ['10.0.0.1', 'fd00::1']],
    [b, ['10.0.0.2']],
    [c, []],
  ])

  test('makes the sets equal to the pods, and keeps correct entries', async () => {
    const { sets, fake } = await twoFamilies()
    await sets.put(a, ['10.0.0.1'])
    await sets.put('uid-gone', ['10.0.0.8', '10.0.0.2'])
    await sets.put(c, ['10.0.0.7'])
    await fake.set(probeSetNames.ipv4, { type: 'hash:ip', family: 'ipv4' }).add('10.0.0.9')
    expect(await sets.sync(pods)).toEqual({
      added: [
        { address: '10.0.0.2', uid: b },
        { address: 'fd00::1', uid: a },
      ],
      removed: [
        { address: '10.0.0.8', uid: 'uid-gone' },
        { address: '10.0.0.9', uid: undefined },
      ],
    })
    expect(await held(sets)).toEqual({ '10.0.0.1': a, '10.0.0.2': b, '10.0.0.7': c, 'fd00::1': a })
    expect(await sets.sync(pods)).toEqual({ added: [], removed: [] })
  })

  test('lets a pod keep its address if another pod claims it too', async () => {
    const { sets } = await twoFamilies()
    await sets.put(a, ['10.0.0.1'])
    const both = new Map([
      [a, ['10.0.0.1']],
      [b, ['10.0.0.1']],
    ])
    expect(await sets.sync(both)).toEqual({ added: [], removed: [] })
    await sets.drop(a)
    await sets.sync(both)
    expect(await held(sets)).toEqual({ '10.0.0.1': b })
  })
})

test('after any sequence of changes, the sets hold exactly the last addresses of each pod', async () => {
  const uid = fc.constantFrom(a, b, c)
  const addresses = fc.subarray(['10.0.0.1', '10.0.0.2', '10.0.0.3', 'fd00::1', 'fd00::2'])
  const step = fc.oneof(
    fc.record({ uid, addresses: addresses as fc.Arbitrary<string[] | undefined> }),
    fc.record({ uid, addresses: fc.constant(undefined) }),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      const { sets } = await twoFamilies()
      const model = new Map<string, string>()
      for (const each of steps) {
        for (const [address, owner] of model) if (owner === each.uid) model.delete(address)
        for (const address of each.addresses ?? []) model.set(address, each.uid)
      }
      // All at once, to test that changes wait for each other.
      await Promise.all(
        steps.map((each) => (each.addresses === undefined ? sets.drop(each.uid) : sets.put(each.uid, each.addresses))),
      )
      expect(await held(sets)).toEqual(Object.fromEntries(model))
    }),
    { numRuns: 50 },
  )
})

describe('after a sync with all pods', () => {
  test('a new pod takes over an address, and a known pod loses its former address', async () => {
    const { sets } = await twoFamilies()
    await sets.put(b, ['10.0.0.7', 'fd00::7'])
    await sets.sync(new Map([[a, ['10.0.0.1', '10.0.0.2']]]))
    await sets.put(c, ['10.0.0.2', 'fd00::2'])
    await sets.put(b, ['10.0.0.3'])
    await sets.put(b, ['10.0.0.4'])
    expect(await held(sets)).toEqual({ '10.0.0.1': a, '10.0.0.2': c, '10.0.0.4': b, 'fd00::2': c })
    await sets.put(a, ['10.0.0.4'])
    await sets.drop(b)
    expect(await held(sets)).toEqual({ '10.0.0.2': c, '10.0.0.4': a, 'fd00::2': c })
  })
})

describe('entries that another process removed', () => {
  test('are reported, and restored without other changes', async () => {
    const { sets, fake } = await twoFamilies()
    await sets.put(a, ['10.0.0.1', 'fd00::1'])
    await sets.sync(
      new Map([
        [a, ['10.0.0.1', 'fd00::1']],
        [b, ['10.0.0.2']],
      ]),
    )
    const v4 = fake.set(probeSetNames.ipv4, { type: 'hash:ip', family: 'ipv4', comment: true })
    await v4.add([
      { entry: '10.0.0.2', comment: 'theirs' },
      { entry: '10.0.0.9', comment: 'theirs' },
    ])
    await fake.set(probeSetNames.ipv6, { type: 'hash:ip', family: 'ipv6', comment: true }).flush()
    const lost = [
      { address: '10.0.0.2', uid: b },
      { address: 'fd00::1', uid: a },
    ]
    expect(await sets.missing()).toEqual({ sets: [], entries: lost })
    expect(await sets.heal()).toEqual(lost)
    expect(await sets.heal()).toEqual([])
    expect(await held(sets)).toEqual({ '10.0.0.1': a, '10.0.0.2': b, '10.0.0.9': 'theirs', 'fd00::1': a })
  })

  test('are restored with their set, except for pods that left or lost the address', async () => {
    const { sets, fake } = await twoFamilies()
    await sets.put(a, ['10.0.0.1'])
    await sets.put(b, ['10.0.0.2', '10.0.0.3'])
    await sets.put(c, ['10.0.0.3'])
    await fake.set(probeSetNames.ipv4, { type: 'hash:ip', family: 'ipv4', comment: true }).destroy()
    await expect(sets.drop(a)).rejects.toThrow('does not exist')
    expect((await sets.missing()).sets).toEqual([probeSetNames.ipv4])
    await sets.create()
    await sets.heal()
    expect(await held(sets)).toEqual({ '10.0.0.2': b, '10.0.0.3': c })
  })
})
