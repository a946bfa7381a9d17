import { describe, expect, test } from 'vitest'
import { containerdWith, containerdWithout, type Said, statusResponse } from '../../test/stand-in-runtime.ts'
import { judgeRuntime } from './judge-runtime.ts'
import { runtimeAnswer } from './runtime-answer.ts'
import { decodeStatus } from './status-message.ts'

const answer = (said: Said) => runtimeAnswer(decodeStatus(statusResponse(said)))
const judged = (said: Said, chained = true) => judgeRuntime(answer(said), { type: 'istio-cni', chained })
const withConfig = (config: unknown) => judged({ info: { cniconfig: JSON.stringify(config) } })
const withPlugins = (...Plugins: unknown[]) =>
  withConfig({ Networks: [{ IFName: 'eth0', Config: { Name: 'pods', Plugins } }] })

const LOAD_ERROR =
  "cni config load failed: failed to load CNI config file /etc/cni/net.d/05-broken.conf: error parsing configuration: invalid character 'b' looking for beginning of value"

describe('an answer of containerd', () => {
  test('with the plugin in the list means that the plugin runs', () => {
    expect(judged(containerdWith(['calico', 'portmap', 'istio-cni']))).toEqual({
      state: 'loaded',
      text: 'containerd runs the plugin in network "pods"',
    })
  })

  test('without the plugin in the list means that it does not run, and names the list', () => {
    expect(judged(containerdWith(['calico', 'portmap']))).toEqual({
      state: 'missing',
      text: 'containerd runs without it: its network "pods" has "calico", "portmap"',
    })
  })

  test('without a list has the reason, and the error of the last load', () => {
    expect(judged(containerdWithout(LOAD_ERROR))).toEqual({
      state: 'missing',
      text: `containerd runs without it: its network is not ready: NetworkPluginNotReady: Network plugin returns error: cni plugin not initialized; its last load failed: ${LOAD_ERROR}`,
    })
  })

  test('with several networks uses only the first one', () => {
    const network = (IFName: string, type: string) => ({
      IFName,
      Config: { Name: `of-${IFName}`, Plugins: [{ Network: { type } }] },
    })
    const Networks = [network('lo', 'loopback'), network('eth0', 'ptp'), network('eth1', 'istio-cni')]
    expect(withConfig({ Networks })).toMatchObject({ state: 'missing', text: expect.stringContaining('"of-eth0"') })
  })

  test.each([{ Networks: null }, { Networks: [] }, {}])('without a loaded network: %j', (config) => {
    expect(withConfig({ PluginConfDir: '/etc/cni/net.d', ...config })).toEqual({
      state: 'missing',
      text: 'containerd runs without it: it has loaded no network from "/etc/cni/net.d"',
    })
  })

  test('with Multus includes the plugins in its delegates', () => {
    const multus = (delegates: unknown[]) => ({
      Network: { type: 'multus' },
      Source: JSON.stringify({ type: 'multus', delegates }),
    })
    expect(withPlugins(multus([{ plugins: [{ type: 'calico' }, { type: 'istio-cni' }] }]))).toMatchObject({
      state: 'loaded',
    })
    expect(withPlugins(multus([{ type: 'istio-cni' }]))).toMatchObject({ state: 'loaded' })
    expect(withPlugins(multus([{ plugins: [{ type: 'calico' }] }]))).toMatchObject({
      state: 'missing',
      text: expect.stringContaining('"multus", "calico"'),
    })
    const other = { Network: { type: 'other' }, Source: JSON.stringify({ delegates: [{ type: 'istio-cni' }] }) }
    expect(withPlugins(other)).toMatchObject({ state: 'missing' })
  })

  test('does not contain a plugin with its own file', () => {
    expect(judged(containerdWith(['multus']), false)).toEqual({
      state: 'silent',
      text: 'the network of containerd is ready; the plugin has a file of its own',
    })
    expect(judged(containerdWithout(LOAD_ERROR), false)).toMatchObject({ state: 'missing' })
  })

  test.each(['', 'nonsense', '[]', '{"Networks":[{}]}', '['.repeat(100_000)])(
    'with an invalid cniconfig is rejected: %.40s',
    (text) => {
      expect(() => answer({ info: { cniconfig: text } })).toThrow(
        /^its cniconfig is not what containerd answers: ".{0,80}"$/,
      )
    },
  )
})

describe('an answer of CRI-O', () => {
  const crio = (status: boolean, message = ''): Said => ({
    conditions: [{ type: 'NetworkReady', status, ...(status ? {} : { reason: 'NetworkPluginNotReady' }), message }],
    info: { config: '{"sandboxImage":"registry.k8s.io/pause:3.10"}' },
  })

  test('with a ready network does not list plugins', () => {
    expect(judged(crio(true))).toEqual({
      state: 'silent',
      text: 'the network of the container runtime is ready; it does not say which plugins it has loaded',
    })
  })

  test('without a ready network has the reason', () => {
    expect(judged(crio(false, 'No CNI configuration file in /etc/cni/net.d/'))).toEqual({
      state: 'missing',
      text: 'the container runtime runs without it: its network is not ready: NetworkPluginNotReady: No CNI configuration file in /etc/cni/net.d/',
    })
  })

  test('without conditions has no verdict', () => {
    expect(judged({})).toMatchObject({ state: 'silent' })
  })
})

test('texts of a runtime are shortened and escaped', () => {
  const hostile = `\u001b[31m\n${'x'.repeat(1000)}`
  expect(judged(containerdWithout(hostile)).text).toMatch(/its last load failed: \[31m x{280,300}…$/)
  expect(judged(containerdWith(Array.from({ length: 50 }, () => hostile))).text).toMatch(
    /^containerd .* has ("\\u001b\[31m\\nx{50,70}…", ){4}"\\u001b\[31m\\nx{50,70}…" and 45 more$/,
  )
})
