import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { GATEWAY } from '../../../src/testing/node/node.ts'
import { connectFrom, startApp, startProxy, type User } from '../../../src/testing/node/stand-ins.ts'
import { meshPod } from '../../../src/testing/pods.ts'
import { COMPILED } from '../../stage/executables.ts'
import { DUAL_STACK, type TestBed, testBed } from './pod.ts'

const POD = meshPod({
  annotations: {
    'sidecar.istio.io/interceptionMode': 'TPROXY',
    'traffic.sidecar.istio.io/excludeInboundPorts': '8081',
  },
  proxy: DUAL_STACK,
})

describe.each([
  ['iptables', {}],
  ['native nftables', { native_nftables: true }],
])('a pod that asks for TPROXY, by %s', (_, conf) => {
  const stack = new AsyncDisposableStack()
  let bed: TestBed
  let ips: { ipv4: string; ipv6: string }

  beforeAll(async () => {
    bed = stack.use(await testBed(() => COMPILED, { pod: POD, conf }))
    ips = await bed.add()
    stack.use(await startProxy(bed.pod, { transparent: true }))
    stack.use(await startApp(bed.pod, { name: 'app', ports: [8080, 8081] }))
    stack.use(await startApp(bed.nodeNetns, { name: 'server', ports: [8000] }))
  })
  afterAll(() => stack.disposeAsync())

  const answer = async (from: 'pod' | 'node', user: User, host: string, port: number) => {
    const [exchange] = await connectFrom(from === 'pod' ? bed.pod : bed.nodeNetns, user, [{ host, port }])
    return exchange?.answer ?? exchange?.error
  }

  // The original address and port stay: the proxy's socket has the application's address and port.
  it.each(['ipv4', 'ipv6'] as const)('passes incoming traffic over %s to the proxy, unchanged', async (family) => {
    const host = family === 'ipv4' ? ips.ipv4 : `[${ips.ipv6}]`
    expect(await answer('node', 0, ips[family], 8080)).toMatchObject({
      ...{ served_by: 'proxy', listener: 8080, original_dst: `${host}:8080` },
    })
  })

  it.each(['ipv4', 'ipv6'] as const)('passes an excluded port through to the application over %s', async (family) => {
    expect(await answer('node', 0, ips[family], 8081)).toMatchObject({ served_by: 'app', listener: 8081 })
  })

  it.each(['ipv4', 'ipv6'] as const)('captures outgoing traffic over %s, except the proxy’s', async (family) => {
    const host = family === 'ipv4' ? GATEWAY.ipv4 : `[${GATEWAY.ipv6}]`
    expect(await answer('pod', 1000, GATEWAY[family], 8000)).toMatchObject({
      ...{ served_by: 'proxy', listener: 15001, original_dst: `${host}:8000` },
    })
    expect(await answer('pod', 1337, GATEWAY[family], 8000)).toMatchObject({ served_by: 'server', listener: 8000 })
  })
})
