import { describe, expect, test } from 'vitest'
import { plainPod } from '../../../src/testing/pods.ts'
import { RUNTIMES } from '../../stage/executables.ts'
import { startNodeAgent } from '../../stage/node-agent.ts'
import { testBed } from './pod.ts'

const ambient = { 'istio.io/dataplane-mode': 'ambient' }
const options = {
  pod: plainPod(),
  conf: {
    ambient_enabled: true,
    enablement_selectors: [{ podSelector: {}, namespaceSelector: { matchLabels: ambient } }],
  },
}

describe.each(RUNTIMES)('%s', (_, plugin) => {
  test('sends the event of an ambient pod with the chain’s addresses, and writes no rules', async () => {
    await using bed = await testBed(plugin, options)
    await using agent = await startNodeAgent(bed.node.runDir)
    bed.node.api.setNamespace('demo', ambient)
    const { ipv4, ipv6 } = await bed.add()
    expect(agent.events.map(({ line, contentType }) => `${line} ${contentType}`)).toEqual([
      'POST /cmdadd application/json',
    ])
    expect(JSON.parse(agent.events[0]?.body ?? '')).toEqual({
      Netns: bed.pod.path,
      PodName: 'web',
      PodNamespace: 'demo',
      IPs: [
        { Interface: 2, Address: { IP: ipv4, Mask: '////AA==' }, Gateway: '10.222.0.1' },
        { Interface: 2, Address: { IP: ipv6, Mask: '//////////8AAAAAAAAAAA==' }, Gateway: 'fd00:10:222::1' },
      ],
    })
    expect(await bed.save()).not.toContain('ISTIO')
    expect(agent.logLines().map(({ msg }) => msg)).toContain('the node agent enrolled the pod in ambient mode')
  })

  test('fails the pod and the chain when the agent refuses the pod', async () => {
    await using bed = await testBed(plugin, options)
    await using agent = await startNodeAgent(bed.node.runDir)
    bed.node.api.setNamespace('demo', ambient)
    agent.answerEvents({ status: 500, body: 'no ztunnel' })
    await expect(bed.add()).rejects.toThrow(/unable to push CNI event \(status code 500\): no ztunnel/)
  })
})
