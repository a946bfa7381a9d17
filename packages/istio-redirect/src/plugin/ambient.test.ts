import { describe, expect, test } from 'vitest'
import { chooseByPod } from './ambient.ts'
import { podEvent } from './ambient-event.ts'

describe('the pod’s own labels', () => {
  const byPod = { podSelector: { matchLabels: { mode: 'ambient' } } }
  const byBoth = { podSelector: {}, namespaceSelector: { matchLabels: { mode: 'ambient' } } }
  test.each([
    ['exclude the pod if no entry matches', [byPod], {}, false],
    ['choose the pod if a matching entry has no namespace selector', [byBoth, byPod], { mode: 'ambient' }, true],
    ['choose the pod if the namespace selector is empty', [{ namespaceSelector: { matchExpressions: [] } }], {}, true],
    ['choose the pod if an entry has no selectors', [{}], {}, true],
    ['leave the decision to the namespace if an entry selects namespaces', [byPod, byBoth], {}, [byBoth]],
    ['exclude the pod if there are no entries', [], { mode: 'ambient' }, false],
  ])('%s', (_, selectors, labels, expected) => {
    expect(chooseByPod(selectors, { labels })).toEqual(expected)
  })
})

describe('the event', () => {
  const pod = { namespace: 'n', name: 'p' }
  const event = (...ips: object[]) =>
    JSON.parse(podEvent({ netns: '/n', pod, ips: ips.map((ip) => ({ address: '', ...ip })) }))

  test('has the same bytes as in Go', () => {
    const ips = [{ interface: 0, address: '10.0.0.2/24', gateway: '10.0.0.1' }]
    expect(podEvent({ netns: '/var/run/netns/cni-1', pod, ips })).toBe(
      '{"Netns":"/var/run/netns/cni-1","PodName":"p","PodNamespace":"n","IPs":[{"Interface":0,"Address":{"IP":"10.0.0.2","Mask":"////AA=="},"Gateway":"10.0.0.1"}]}',
    )
    expect(podEvent({ netns: '/a&b', pod, ips: undefined })).toBe(
      '{"Netns":"/a\\u0026b","PodName":"p","PodNamespace":"n","IPs":null}',
    )
  })

  test('has null for an empty list of addresses', () => {
    expect(event()).toMatchObject({ IPs: null })
  })

  test.each([
    ['10.0.0.2/32', '10.0.0.2', [255, 255, 255, 255]],
    ['10.0.0.2/0', '10.0.0.2', [0, 0, 0, 0]],
    ['10.0.0.2/25', '10.0.0.2', [255, 255, 255, 128]],
    ['FD00:0::5/12', 'fd00::5', [255, 240, ...Array(14).fill(0)]],
    ['::ffff:10.0.0.5/120', '10.0.0.5', [...Array(15).fill(255), 0]],
  ])('writes %s as %s with the bytes of its mask', (address, ip, mask) => {
    expect(event({ address })).toMatchObject({
      IPs: [{ Interface: null, Address: { IP: ip, Mask: Buffer.from(mask).toString('base64') }, Gateway: '' }],
    })
  })

  test('keeps an index of -1, which older plugins write for no interface', () => {
    expect(event({ address: '10.0.0.2/24', interface: -1 })).toMatchObject({ IPs: [{ Interface: -1 }] })
  })
})
