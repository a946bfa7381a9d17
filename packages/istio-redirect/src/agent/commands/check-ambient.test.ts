import { describe, expect, test } from 'vitest'
import type { AmbientStatus } from '../serve/ambient-status.ts'
import { checkAmbient } from './check-ambient.ts'

const socket = '/run/istio-cni/serve.sock'
const healthy: AmbientStatus = { enrolled: 12, pending: 0, waiting: [], ztunnels: 1, backend: 'iptables-nft' }
const answer = (ambient: AmbientStatus | undefined) => ({
  socket,
  status: { version: '1.0.0', pods: 'watched', ambient } as const,
})
const nodeLevel = (ztunnel: string | undefined) =>
  ({ mode: 'node-iptables', tunnel: 'geneve', hostIp: '10.60.0.1', ztunnel }) as const
const told = (ambient: AmbientStatus, nativeNftables = false) =>
  checkAmbient({ nativeNftables }, answer(ambient)).map(({ name: _, ...rest }) => rest)

describe('the check of ambient mode', () => {
  test('is absent if ambient mode is off', () => {
    expect(checkAmbient(undefined, answer(healthy))).toEqual([])
  })

  test.each([
    [healthy, 'ok', '12 pods enrolled, 0 pending; ztunnel is connected; rules by iptables-nft'],
    [
      { ...healthy, enrolled: 1, ztunnels: 2, backend: 'nftables' },
      'ok',
      '1 pod enrolled, 0 pending; 2 ztunnels are connected; rules by nftables',
    ],
    [
      { ...healthy, ztunnels: 0 },
      'fail',
      '12 pods enrolled, 0 pending; no ztunnel is connected; rules by iptables-nft',
    ],
    [
      { ...healthy, backend: undefined, problem: 'no kubelet' },
      'fail',
      'no kubelet; 12 pods enrolled, 0 pending; ztunnel is connected',
    ],
    [
      { ...healthy, nodeLevel: nodeLevel('istio-system/ztunnel-x') },
      'ok',
      '12 pods enrolled, 0 pending; istio-system/ztunnel-x serves; redirected on the node (node-iptables by geneve, experimental, IPv4 only, node 10.60.0.1); rules by iptables-nft',
    ],
    [
      { ...healthy, ztunnels: 0, backend: undefined, nodeLevel: { ...nodeLevel(undefined), tunnel: undefined } },
      'fail',
      '12 pods enrolled, 0 pending; no ztunnel is ready: traffic is dropped; redirected on the node (node-iptables, experimental, IPv4 only, node 10.60.0.1)',
    ],
    [
      {
        ...healthy,
        backend: undefined,
        nodeLevel: { ...nodeLevel('istio-system/z'), mode: 'node-ebpf', tunnel: undefined },
      },
      'ok',
      '12 pods enrolled, 0 pending; istio-system/z serves; redirected on the node (node-ebpf, experimental, IPv4 only, node 10.60.0.1)',
    ],
    [{ ...healthy, pending: 3 }, 'warn', '12 pods enrolled, 3 pending; ztunnel is connected; rules by iptables-nft'],
  ] as const)('for %j is %s', (status, state, detail) => {
    expect(told(status)).toMatchObject([{ state, subject: 'mesh', detail }])
  })

  test('warns about iptables rules if native rules are set, and names the next step', () => {
    expect(told(healthy, true).slice(1)).toEqual([
      {
        state: 'warn',
        subject: 'rules',
        detail: 'NATIVE_NFTABLES is true, and iptables-nft is used',
        next: expect.stringMatching(/^ipset sets of former iptables rules .* until the node reboots/),
      },
    ])
    expect(told({ ...healthy, backend: 'nftables' }, true)).toHaveLength(1)
    expect(told({ ...healthy, backend: undefined }, true)).toHaveLength(1)
    expect(told({ ...healthy, nodeLevel: nodeLevel(undefined) }, true)).toHaveLength(1)
  })

  test('counts pods that are enrolled but not captured, and lists some with reason and next step', () => {
    const astray = Array.from({ length: 20 }, (_, index) => ({ pod: `shop/web-${index}`, why: 'no process of it' }))
    const [mesh, first, ...others] = told({ ...healthy, notCaptured: 30, astray })
    expect(mesh).toMatchObject({
      state: 'warn',
      detail: '12 pods enrolled, 0 pending, 30 not captured; ztunnel is connected; rules by iptables-nft',
    })
    expect(first).toEqual({
      state: 'warn',
      subject: 'shop/web-0',
      detail: 'enrolled and not captured: no process of it',
      next: expect.stringContaining('cniNetnsDir'),
    })
    expect(others).toHaveLength(5)
    expect(others.at(-1)).toMatchObject({ subject: 'pods', detail: '25 more are not captured' })
  })

  test('lists pending pods with their reasons, limited to one screen', () => {
    const waiting = Array.from({ length: 20 }, (_, index) => ({ pod: `shop/web-${index}`, why: 'no address yet' }))
    const checks = told({ ...healthy, pending: 30, waiting })
    expect(checks[1]).toMatchObject({ state: 'warn', subject: 'shop/web-0', detail: 'pending: no address yet' })
    expect(checks).toHaveLength(7)
    expect(checks.at(-1)).toMatchObject({ subject: 'pods', detail: '25 more are pending' })
  })

  test.each([
    [undefined, 'warn', 'SERVE_PLUGIN is false, so the agent cannot be queried'],
    [{ socket, problem: 'no answer' }, 'fail', 'no answer'],
    [answer(undefined), 'fail', 'the running agent has ambient mode off'],
  ] as const)('without a status (%j) is a %s', (asked, state, detail) => {
    expect(checkAmbient({ nativeNftables: false }, asked)).toMatchObject([{ state, detail }])
  })
})
